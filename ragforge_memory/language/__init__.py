"""What words, sentences and messages say: of people, and of the names that they give to code. Pure; no I/O."""
