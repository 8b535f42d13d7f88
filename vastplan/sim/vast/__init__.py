"""A simulated VAST VMS: the management API of one VAST cluster."""

from vastplan.sim.vast.plane import VastPlane

__all__ = ["VastPlane"]
