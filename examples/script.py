"""Read pages in a plain script, with your own settings: ``python examples/script.py URL...``."""

import sys

import tabwright

with tabwright.open_sync(tabwright.load_settings(user=True)) as tw:
    for url in sys.argv[1:]:
        try:
            page = tw.read(url)
        except tabwright.TabwrightError as error:
            print(url, error)
        else:
            print(page.title, page.text, sep="\n\n")
