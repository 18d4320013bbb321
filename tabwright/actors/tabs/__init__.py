"""The TabActor: one page, what it loads, and what is done in it."""
