"""What `vastplan watch` does to the world: looks, fences, fails over."""
