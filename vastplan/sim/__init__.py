"""Simulators of the three control planes, over HTTPS on loopback.

They are built from the vendors' API documents (`tables/`) and from recorded behaviour, and import nothing else
of vastplan: a simulator that shared vastplan's mapping would share its mistakes.
"""
