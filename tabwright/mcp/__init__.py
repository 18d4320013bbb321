"""The MCP server: tools, resources, prompts and results."""
