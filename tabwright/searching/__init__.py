"""AI Mode as pure functions: URLs, languages, what a page shows, when an answer is done, Markdown.

Nothing in here waits, opens or remembers: pages come in as looks, values go out.
"""
