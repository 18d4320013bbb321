"""The MCPGateway: one MCP client, from its first line to its last."""
