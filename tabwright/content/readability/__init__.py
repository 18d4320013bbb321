"""Detection of a page's main content."""
