"""A subset of a Kubernetes API server: what a VAST and Run:AI deployment uses, refused as the real server refuses it."""

from vastplan.sim.kubernetes.kubeconfig import kubeconfig
from vastplan.sim.kubernetes.plane import KubernetesPlane
from vastplan.sim.kubernetes.storage import Storage

__all__ = ["KubernetesPlane", "Storage", "kubeconfig"]
