"""Wires every part to every other; the only package that knows them all."""
