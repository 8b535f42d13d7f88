"""Changes of single facts, to see that tests notice them."""
