"""The isolation proof, and what it finds."""
