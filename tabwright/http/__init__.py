"""The HTTP client, from connections to robots.txt; and the serving of ASGI applications."""
