"""Clients of the three systems, all speaking rows; no module here knows a kind."""
