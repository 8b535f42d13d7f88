"""Kinds of the NVIDIA Run:AI control plane."""
