"""Read pages in a plain script: ``python examples/script.py SETTINGS.yaml URL...``."""

import sys
from pathlib import Path

from tabwright import TabwrightError, load_settings, open_tabwright_sync, read_layer

file, *urls = sys.argv[1:]
with open_tabwright_sync(load_settings(read_layer(Path(file)))) as tabwright:
    for url in urls:
        try:
            page = tabwright.browse(url)
        except TabwrightError as error:
            print(url, error)
        else:
            print(page.title, page.text, sep="\n\n")
