"""tabwright over a WebSocket."""

import sys

import trio
from tabwright_cases import serve

from tabwright.cdp.websocket import open_websocket_link


async def main() -> None:
    async with open_websocket_link(sys.argv[1]) as link:
        await serve(link)


trio.run(main)
