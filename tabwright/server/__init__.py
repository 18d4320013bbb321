"""The server that many clients share: MCP over streamable HTTP."""
