"""How a question is read, and what else people say: wordings, targets, days, sentences."""
