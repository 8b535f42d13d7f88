"""The ends of an export: the key that is read, the files that are written."""
