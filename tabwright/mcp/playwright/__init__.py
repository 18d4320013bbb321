"""The tools under the names of playwright-mcp."""
