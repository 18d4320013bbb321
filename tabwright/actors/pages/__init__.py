"""Pages to be read: got by the lowest tier that will do, and turned into text."""
