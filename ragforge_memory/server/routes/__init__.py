"""The routes, a file a subject; each is thin: arguments into a call of the API."""
