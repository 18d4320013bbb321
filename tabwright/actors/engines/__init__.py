"""Questions to Google AI Mode and to engines with result pages, each in its turn."""
