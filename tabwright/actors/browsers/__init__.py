"""Browsers: how one is chosen, started, named to sites, and kept from where it may not go."""
