"""The output of a batch: JSON, a line of JSON for each page, or CSV."""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from io import StringIO
from pathlib import Path

import msgspec

from tabwright.actors.shell.batch_journal import Record
from tabwright.protocol.errors import BadInput

COLUMNS: Sequence[str] = (
    "asked",
    "success",
    "url",
    "title",
    "status",
    "tier",
    "text",
    "error",
    "code",
)
"""Of CSV; the other formats have everything."""


def checked_output(path: Path) -> Path:
    """The path, if its ending names a format, and its folder is there.

    Raises:
        BadInput: one of the two is not so.
    """
    if path.suffix not in _WRITERS:
        raise BadInput(
            f"{path} does not end in one of {', '.join(_WRITERS)}.",
            advice="The ending says what is written.",
        )
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent}.")
    return path


def write_output(path: Path, records: Iterable[Record]) -> None:
    """Writes all records, whole or not at all.

    Raises:
        BadInput: it cannot be written.
    """
    new = path.with_name(f"{path.name}.new")
    try:
        new.write_bytes(_WRITERS[path.suffix](records))
        new.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error}.") from error


def _json(records: Iterable[Record]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(list(records)), indent=2) + b"\n"


def _ndjson(records: Iterable[Record]) -> bytes:
    return b"".join(msgspec.json.encode(record) + b"\n" for record in records)


def _csv(records: Iterable[Record]) -> bytes:
    text = StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows({name: _harmless(value) for name, value in one.items()} for one in records)
    return text.getvalue().encode()


def _harmless(value: object) -> object:
    """What a spreadsheet would take for a formula is text: a page wrote it."""
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value


_WRITERS: Mapping[str, Callable[[Iterable[Record]], bytes]] = {
    ".json": _json,
    ".ndjson": _ndjson,
    ".csv": _csv,
}
