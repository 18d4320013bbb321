"""zendriver, with commands sent through its own page objects."""

import asyncio

import zendriver
from nodriver_cases import main

asyncio.run(main(zendriver, plain_handlers=False))
