"""The fork: the workloads run at the target too, on a copy of their own."""
