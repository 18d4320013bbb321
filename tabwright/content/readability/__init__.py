"""Readability: the main content of a page, without its boilerplate."""
