"""Settings: five layers, each key from the topmost that has it, into one frozen value."""
