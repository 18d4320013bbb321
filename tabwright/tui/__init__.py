"""The browser of the terminal: an MCP client of ``tabwright serve``, with a screen of Textual.

It holds no browser: what it shows is what any client gets of the tools. It lives on asyncio, as
Textual does, and shares the vocabulary of links and forms with tabwright alone.
"""
