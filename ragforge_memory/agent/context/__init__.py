"""What a model is given: the prompt, its budget, what of the history goes in, and the receipt of it."""
