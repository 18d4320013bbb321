"""Fill in and send the first form of a page: ``python examples/act.py URL [SETTINGS.yaml]``."""

import sys

import trio

import tabwright


async def main() -> None:
    """Open a page, list its controls, and act on them."""
    url, *files = sys.argv[1:]
    async with tabwright.open(tabwright.load_settings(*files)) as tw:
        page = await tw.open(url)
        outline = await page.outline()
        print(outline.text, end="\n\n")
        fields = [one.ref for one in outline.controls if one.role in {"textbox", "searchbox"}]
        filled = await page.fill({ref: f"text {number}" for number, ref in enumerate(fields)})
        print(filled.changes, end="\n\n")
        sent = await page.click("role=button >> nth=0")
        print(sent.description, page.url, sent.changes, sep="\n")


trio.run(main)
