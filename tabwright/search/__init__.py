"""Search: AI Mode, and the result pages of search engines."""
