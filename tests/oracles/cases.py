"""Cases of others, each file with its source and its licence.

A case is what goes in and what must come out. Where we decide otherwise on purpose, the test names
the reason; a case is never changed. Left out of ``hosts.json`` and ``urls.json`` are the cases with
results that the URL Standard or Unicode has changed since: labels in ASCII that begin with ``xn--``
and are not valid Punycode are accepted today, as by all browsers.
"""

import json
from pathlib import Path


def read_cases(name: str) -> list[list]:
    read = json.loads(Path(__file__).with_name(name).read_text())
    assert read["source"]
    assert read["licence"]
    return read["cases"]
