"""The HTTP client: connections, messages, redirects, cookies, cache and robots.txt."""
