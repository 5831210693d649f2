"""Tools that a model can call: the registry and the built-in ones."""
