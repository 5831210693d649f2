"""One turn: what it is given, the model's rounds, what is kept of it."""
