"""Restores: what is gone back, over the systems' clients, what that rests on, and what to write of a copy into the document."""
