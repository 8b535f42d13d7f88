"""Live objects and addresses: which belongs to which, and what depends on what."""
