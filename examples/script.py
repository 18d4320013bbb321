"""Read pages in a plain script, with your own settings: ``python examples/script.py URL...``."""

import sys

from tabwright import TabwrightError, load_settings, open_tabwright_sync, user_layers

with open_tabwright_sync(load_settings(*user_layers())) as tabwright:
    for url in sys.argv[1:]:
        try:
            page = tabwright.browse(url)
        except TabwrightError as error:
            print(url, error)
        else:
            print(page.title, page.text, sep="\n\n")
