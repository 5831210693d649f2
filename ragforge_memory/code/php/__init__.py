"""Reading PHP."""
