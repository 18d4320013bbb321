"""Actions on a page: mouse, keyboard, fields, and the actionability of elements."""
