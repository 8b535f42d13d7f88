"""The ports of operations over the clients of a site; the only part that knows systems."""
