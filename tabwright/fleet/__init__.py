"""The state that processes share through Redis. Independent of browsers."""
