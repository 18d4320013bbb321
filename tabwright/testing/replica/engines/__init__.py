"""Seven search engines as the replica plays them: their result pages, their rules, their blocks.

The marks by which a page is read are those of the real pages; what they list is ours, and
`truth` tells it.
"""
