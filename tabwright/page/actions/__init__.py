"""What is done to a page: mouse, keyboard, fields, and when an element can be acted on."""
