"""What a desired state promises, in sums: capacity, GPUs, bandwidth."""
