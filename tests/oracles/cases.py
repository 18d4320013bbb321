"""Third-party test cases, each file with its source and its licence.

A case consists of an input and the expected output. Where we deviate on purpose, the test names
the reason; a case is never changed. ``hosts.json`` and ``urls.json`` leave out the cases whose
results the URL Standard or Unicode has changed since: ASCII labels that begin with ``xn--`` and
are not valid Punycode are accepted today, as by all browsers.
"""

import json
from pathlib import Path


def read_cases(name: str) -> list[list]:
    read = json.loads(Path(__file__).with_name(name).read_text())
    assert read["source"]
    assert read["licence"]
    return read["cases"]
