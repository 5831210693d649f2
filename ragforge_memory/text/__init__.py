"""Words, sentences, names and the explicit forms in which people say what a message is."""
