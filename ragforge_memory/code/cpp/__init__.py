"""Reading C++."""
