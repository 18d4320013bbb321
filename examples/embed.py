"""Read a page inside your own trio program: ``python examples/embed.py URL [SETTINGS.yaml]``."""

import sys

import trio

import tabwright


async def main() -> None:
    """Run tabwright for as long as the block, and read a page within a minute."""
    url, *files = sys.argv[1:]
    async with tabwright.open(tabwright.load_settings(*files)) as tw:
        try:
            with trio.fail_after(60):
                page = await tw.read(url)
        except tabwright.TabwrightError as error:
            print(error)
        else:
            print(page.title, page.text, sep="\n\n")


trio.run(main)
