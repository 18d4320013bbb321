"""Replicas of seven search engines: their result pages, their rules and their blocks.

The structure of a page is that of the real one; its results are made up, and `truth` returns
them.
"""
