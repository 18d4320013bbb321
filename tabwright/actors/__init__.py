"""The actor kit, and the actors that live on it."""
