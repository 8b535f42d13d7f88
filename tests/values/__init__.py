"""Values that are told once, on simulated systems: where they go, and where they are not."""
