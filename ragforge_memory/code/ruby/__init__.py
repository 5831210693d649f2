"""Reading Ruby."""
