"""Simulators of the three control planes, over HTTPS on loopback.

They take their truth from the vendors' API documents (`tables/`) and from recorded behaviour, and import nothing else
of vastplan: a simulator that shared our mapping would share our mistakes.
"""
