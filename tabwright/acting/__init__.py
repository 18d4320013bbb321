"""What an agent sees of a page and does there: pure functions, and the scripts for pages."""
