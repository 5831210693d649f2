"""What becomes of what was said: what corrects, closes or repeats it, and how answers without a model are known."""
