"""The control channel: the user of a running house asks how it stands."""
