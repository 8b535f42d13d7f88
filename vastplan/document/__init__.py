"""Reads YAML files into a flat list of entries, and finds all problems at once, with their places."""
