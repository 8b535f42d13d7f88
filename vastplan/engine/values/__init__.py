"""Values that only a create returns, and objects that are created once."""
