"""Reading Rust."""
