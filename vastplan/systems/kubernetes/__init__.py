"""The kubernetes system."""
