"""The server: the API over HTTP, for many users at once; FastAPI stays in this room."""
