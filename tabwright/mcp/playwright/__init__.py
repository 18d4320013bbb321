"""The same under the names of playwright-mcp's tools."""
