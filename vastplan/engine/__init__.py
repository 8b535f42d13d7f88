"""Observe, match, diff, order, guard, plan, apply. It knows no vendor."""
