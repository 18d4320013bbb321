"""Settings from five layers: each key from the topmost layer that sets it, in one frozen value."""
