"""A Kubernetes API server's subset: what a VAST and Run:AI deployment touches, refused as the real one refuses it."""

from vastplan.sim.kubernetes.kubeconfig import kubeconfig
from vastplan.sim.kubernetes.plane import KubernetesPlane
from vastplan.sim.kubernetes.storage import Storage

__all__ = ["KubernetesPlane", "Storage", "kubeconfig"]
