"""Exports for SkyPilot: ours by themselves in the ordinary tests, and held against SkyPilot itself by `make skypilot`."""
