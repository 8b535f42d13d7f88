"""What the systems have, and how it differs from what is desired."""
