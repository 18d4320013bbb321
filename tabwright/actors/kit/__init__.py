"""The actor kit: addresses, mailboxes, supervision and tracing."""
