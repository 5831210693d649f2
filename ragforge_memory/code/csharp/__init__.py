"""Reading C#."""
