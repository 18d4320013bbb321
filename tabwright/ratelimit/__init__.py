"""Rate limits: when the next request to a site can be sent."""
