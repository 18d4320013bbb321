"""Crawling: many pages of a site, from its links and its sitemaps, into one file.

`crawler` is the loop, `judge` decides what to do with each page, `scope` which URLs are requested
and which name the same page, `traps` and `parameters` learn from the pages which parts of a site
are endless and which parameters change nothing. `sitemaps` reads the lists of a site, `frontier`
and `store` are the state on disk, `output` writes files, `compare` reports what changed.
"""
