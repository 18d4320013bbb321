"""The tools as values: what a client may ask for, and in which shape. Know nothing of MCP's SDK."""
