"""The move through global access: the workloads change sites, the data stays at its origin."""
