"""The scripts that read and restore what pages keep in ``localStorage``, and what they say."""

from collections.abc import Iterable
from importlib.resources import files

import attrs
import msgspec

from tabwright.protocol.errors import PageFailed
from tabwright.protocol.tab import OriginStorage

_STORAGE_SCRIPTS = files("tabwright.page").joinpath("js")
_RESTORE = _STORAGE_SCRIPTS.joinpath("restore_storage.js").read_text(encoding="utf-8")

READ_STORAGE = _STORAGE_SCRIPTS.joinpath("read_storage.js").read_text(encoding="utf-8")
"""A function declaration that answers a JSON string for `parse_storage`."""


@attrs.frozen
class _StorageAnswer:
    localStorage: tuple[tuple[str, str], ...] | None  # noqa: N815  (keeps it out of the wire log)
    origin: str = ""


def parse_storage(answer: str) -> OriginStorage | None:
    """What the script answered; None where the page keeps too much, or may keep nothing.

    Raises:
        PageFailed: the answer is not the script's.
    """
    try:
        read = msgspec.json.decode(answer, type=_StorageAnswer)
    except msgspec.MsgspecError as error:
        raise PageFailed("The page did not say what it keeps.") from error
    if read.localStorage is None or not read.origin.startswith(("http:", "https:")):
        return None
    return OriginStorage(read.origin, read.localStorage)


def restoring(storage: Iterable[OriginStorage]) -> str:
    """A script for new documents, which gives each origin its own back."""
    pairs = [(one.origin, one.items) for one in storage]
    return f"({_RESTORE})(\n{msgspec.json.encode(pairs).decode()}\n)"
