"""The RateGovernor, and what it remembers of sites."""
