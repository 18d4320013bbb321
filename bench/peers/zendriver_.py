"""zendriver, as its own page objects send commands."""

import asyncio

import zendriver
from nodriver_cases import main

asyncio.run(main(zendriver, plain_handlers=False))
