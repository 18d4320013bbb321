"""Pages by HTTP, without a browser: a client that is a good citizen and a hard target."""
