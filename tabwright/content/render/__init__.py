"""Snapshots as Markdown, plain text and JSON."""
