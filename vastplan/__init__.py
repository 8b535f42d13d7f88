"""vastplan: a declarative reconciler for AI storage across VAST, Kubernetes and NVIDIA Run:AI."""

__version__ = "0.1.0"
