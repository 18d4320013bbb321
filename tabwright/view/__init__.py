"""The live view: a page on which people watch the tabs, and act in them."""
