"""From a page to text. Pure functions."""
