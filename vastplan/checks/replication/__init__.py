"""Checks of snapshots and replication."""
