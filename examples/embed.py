"""Read a page inside your own trio program: ``python examples/embed.py URL [SETTINGS.yaml]``."""

import sys
from pathlib import Path

import trio

from tabwright import TabwrightError, load_settings, open_tabwright, read_layer


async def main() -> None:
    """Run tabwright for as long as the block, and read a page within a minute."""
    url, *files = sys.argv[1:]
    settings = load_settings(*(read_layer(Path(file)) for file in files))
    async with open_tabwright(settings) as tabwright:
        try:
            with trio.fail_after(60):
                page = await tabwright.browse(url)
        except TabwrightError as error:
            print(error)
        else:
            print(page.title, page.text, sep="\n\n")


trio.run(main)
