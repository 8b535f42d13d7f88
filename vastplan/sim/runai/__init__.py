"""A simulated NVIDIA Run:ai control plane, versions 2.20 to 2.24."""

from vastplan.sim.runai.cluster import KubernetesSide, StandaloneCluster
from vastplan.sim.runai.plane import RunaiPlane

__all__ = ["KubernetesSide", "RunaiPlane", "StandaloneCluster"]
