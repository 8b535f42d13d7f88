"""Drift against the simulators: who, since when, whose; ignored, kept, accepted."""
