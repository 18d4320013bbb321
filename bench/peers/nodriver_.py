"""nodriver, as its own page objects send commands."""

import asyncio

import nodriver
from nodriver_cases import main

asyncio.run(main(nodriver, plain_handlers=True))
