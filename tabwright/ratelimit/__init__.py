"""Rate limits: when a site may be requested again."""
