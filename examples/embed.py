"""Read a page inside your own trio program: ``python examples/embed.py URL [SETTINGS.yaml]``."""

import sys
from pathlib import Path

import trio

from tabwright import load_settings, open_tabwright, read_layer


async def main() -> None:
    """Run tabwright for as long as the block, beside your own tasks."""
    url, *files = sys.argv[1:]
    settings = load_settings(*(read_layer(Path(file)) for file in files))
    async with open_tabwright(settings) as tabwright, trio.open_nursery() as nursery:
        nursery.start_soon(trio.sleep_forever)  # whatever else you do
        with trio.fail_after(60):
            page = await tabwright.browse(url)
        print(page.title, page.text, sep="\n\n")
        nursery.cancel_scope.cancel()


trio.run(main)
