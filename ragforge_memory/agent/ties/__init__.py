"""What is said, tied to the code that it is about."""
