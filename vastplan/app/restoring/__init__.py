"""Restores: their subject over the systems' clients, their evidence, and what to write into the document for a copy."""
