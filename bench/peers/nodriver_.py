"""nodriver, with commands sent through its own page objects."""

import asyncio

import nodriver
from nodriver_cases import main

asyncio.run(main(nodriver, plain_handlers=True))
