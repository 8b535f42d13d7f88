"""Kinds of the Kubernetes API."""
