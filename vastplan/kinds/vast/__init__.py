"""Kinds of the VAST management service (VMS)."""
