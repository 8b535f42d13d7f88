"""Who is let in by an object, and whom a change lets in or cuts off."""
