"""The files of `pages/`: HTML with ``$name`` gaps, and the scripts and styles that go into it."""

from functools import cache
from html import escape
from importlib.resources import files
from string import Template

import attrs

from tabwright.testing.replica.languages import PageStrings


@cache
def bytes_of(name: str) -> bytes:
    """The bytes of a file of `pages/`."""
    return (files(__package__ or "") / "pages" / name).read_bytes()


def text_of(name: str) -> str:
    """The text of a file of `pages/`."""
    return bytes_of(name).decode()


def fill(name: str, strings: PageStrings | None = None, **values: str) -> str:
    """Fills the gaps of a template.

    Args:
        name: the file.
        strings: fill the gaps of their names, escaped.
        values: likewise; those whose name ends in ``_html`` go in as they are.
    """
    said: dict[str, str] = attrs.asdict(strings) if strings else {}
    gaps = {key: value if key.endswith("_html") else escape(value) for key, value in values.items()}
    return Template(text_of(name)).substitute(
        {key: escape(value) for key, value in said.items()} | gaps
    )
