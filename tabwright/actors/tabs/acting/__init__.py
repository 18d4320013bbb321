"""The acting side of a tab: what a person's eyes and hands do on a page, by CDP."""
