"""Crawling: many pages of a site, from its links and its sitemaps, into one file.

`scope` decides which URLs are requested and which name the same page, `traps` finds parts of a site
without an end, `sitemaps` reads the lists of a site, `store` is the state on disk, `crawler` the
loop, `output` the files, and `compare` what changed since an earlier crawl.
"""
