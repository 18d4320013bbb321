"""Fill in and send the first form of a page: ``python examples/act.py URL [SETTINGS.yaml]``."""

import sys
from pathlib import Path

import trio

from tabwright import (
    Click,
    FieldValue,
    Fill,
    TakeOutline,
    load_settings,
    open_tabwright,
    read_layer,
)


async def main() -> None:
    """Open a page in a session, list its controls, and act on them."""
    url, *files = sys.argv[1:]
    settings = load_settings(*(read_layer(Path(file)) for file in files))
    async with open_tabwright(settings) as tabwright:
        await tabwright.enter(url, session="example")
        outline = await tabwright.inspect(TakeOutline(), session="example")
        print(outline.text, end="\n\n")
        fields = [one.ref for one in outline.controls if one.role in {"textbox", "searchbox"}]
        values = tuple(FieldValue(ref, f"text {number}") for number, ref in enumerate(fields))
        filled = await tabwright.act(Fill(values), session="example")
        print(filled.changes, end="\n\n")
        button = next(one.ref for one in outline.controls if one.role == "button")
        sent = await tabwright.act(Click(button), session="example")
        print(sent.description, sent.url, sent.changes, sep="\n")


trio.run(main)
