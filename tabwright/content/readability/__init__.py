"""Which part of a page is its main content."""
