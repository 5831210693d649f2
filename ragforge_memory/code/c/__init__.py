"""Reading C, and what C and C++ share."""
