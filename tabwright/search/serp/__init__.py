"""Result pages of search engines (SERP): requests, parsing and rank fusion."""
