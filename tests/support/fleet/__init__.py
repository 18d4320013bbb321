"""Twins of what a fleet shares: the same rules in memory, with faults, for simulations."""
