"""Result pages of search engines: requests, parsing and fusion."""
