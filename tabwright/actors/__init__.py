"""The actor kit, and the actors built on it."""
