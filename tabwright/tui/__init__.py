"""The terminal browser: an MCP client of ``tabwright serve``, with a Textual interface.

It has no browser of its own: it shows the results of the tools, like any client. It runs on
asyncio, as Textual does, and shares only the vocabulary of links and forms with tabwright.
"""
