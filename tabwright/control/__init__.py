"""The control socket of a running server, and its clients."""
