"""The input and output of an export: reading the key, writing the files."""
