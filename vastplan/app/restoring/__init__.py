"""Restores: their place and its systems' clients, their evidence, and the lines to write into the document for a copy."""
