"""The actor kit: addresses, mailboxes, keeping actors alive, and what is told of it."""
