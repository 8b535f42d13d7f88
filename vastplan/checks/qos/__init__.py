"""Checks of QoS policies."""
