"""Sessions: their cookies, storage, history and tabs, from request to request."""
