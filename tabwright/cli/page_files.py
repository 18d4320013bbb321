"""The output of a crawl or a batch: JSON Lines, JSON, CSV, Parquet, or a folder of Markdown files.

Records are written one after the other, so that a large crawl need not fit in memory.
"""

import csv
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote, urlsplit

import msgspec

from tabwright.http.response import FILE_NAME_MAX
from tabwright.protocol.errors import BadInput
from tabwright.reader.pages import Record
from tabwright.text.file_errors import file_problem

COLUMNS: Sequence[str] = (
    "asked",
    "success",
    "change",
    "url",
    "title",
    "status",
    "depth",
    "found_on",
    "tier",
    "text",
    "notice",
    "truncation",
    "hash",
    "error",
    "kind",
    "reason",
)
"""The columns of a crawl in CSV and Parquet; JSON contains all fields.

``truncation`` is only its reason.
"""

FACTS = ("url", "title", "change", "notice", "truncation")
"""The data at the top of a Markdown file, if they are there."""

NUMBERS = frozenset({"status", "depth", "tier"})
ROWS = 500
"""The number of rows of a group in a Parquet file."""

_UNSAFE = re.compile(r"[^\w.-]+")


def checked_output(path: Path) -> Path:
    """Return the path, if records can be written there.

    Raises:
        BadInput: its extension is unknown, its folder is missing, or its library is not installed.
    """
    if path.suffix == ".parquet":
        if find_spec("pyarrow") is None:
            raise BadInput(
                "Parquet files need pyarrow.", advice="Install tabwright with the extra parquet."
            )
    elif path.suffix and path.suffix not in {*_WRITERS, ".csv"}:
        known = ", ".join((*_WRITERS, ".csv", ".parquet"))
        raise BadInput(
            f"{path} does not end in one of {known}.",
            advice="The extension selects the format; a name without one is a folder of Markdown.",
        )
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent}.")
    return path


def write_output(path: Path, records: Iterable[Record], columns: Sequence[str] = COLUMNS) -> None:
    """Write all records; a file appears only when it is complete.

    Args:
        path: its extension selects the format; see `checked_output`.
        records: what to write.
        columns: the columns of CSV and Parquet.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        if not path.suffix:
            _write_folder(path, records)
            return
        new = path.with_name(f"{path.name}.new")
        with new.open("wb") as file:
            if path.suffix in _WRITERS:
                _WRITERS[path.suffix](file, records)
            elif path.suffix == ".csv":
                _write_csv(file, records, columns)
            else:
                _write_parquet(file, records, columns)
        new.replace(path)
    except OSError as error:
        raise BadInput(
            file_problem(error, path, writing=True), advice="Use another file."
        ) from error


def _write_ndjson(file: BinaryIO, records: Iterable[Record]) -> None:
    file.writelines(msgspec.json.encode(record) + b"\n" for record in records)


def _write_json(file: BinaryIO, records: Iterable[Record]) -> None:
    between = b"[\n"
    for record in records:
        file.write(between + msgspec.json.encode(record))
        between = b",\n"
    file.write(b"[]\n" if between == b"[\n" else b"\n]\n")


def _write_csv(file: BinaryIO, records: Iterable[Record], columns: Sequence[str]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", restval="")
    writer.writeheader()
    writer.writerows(
        {name: _cell(value) for name, value in one.items()} for one in map(_row, records)
    )
    text.flush()
    text.detach()


def _cell(value: object) -> object:
    """Return a value for CSV; text that a spreadsheet would treat as a formula is escaped."""
    if isinstance(value, list | tuple | Mapping):
        value = msgspec.json.encode(value).decode()
    is_formula = isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r"))
    return f"'{value}" if is_formula else value


def _row(record: Record) -> Record:
    """Return a record whose truncation is only its reason."""
    match record.get("truncation"):
        case {"reason": str(reason)}:
            return {**record, "truncation": reason}
        case _:
            return record


def is_incomplete(record: Record) -> bool:
    """Return whether a page was read whose record says that some of it is missing."""
    return bool(record.get("success") and (record.get("notice") or record.get("truncation")))


def failure_line(record: Record) -> str:
    """Return why a page could not be read, with its URL, as a line for a person."""
    url, error = str(record["asked"]), f"{record['error']} {record.get('advice', '')}".rstrip()
    return error if url in error else f"{url}: {error}"


def notice_line(record: Record) -> str:
    """Return what the notice of a page says is missing, with its URL, as a line for a person."""
    return f"{record['asked']}: {record['notice']}"


_WRITERS: Mapping[str, Callable[[BinaryIO, Iterable[Record]], None]] = {
    ".ndjson": _write_ndjson,
    ".jsonl": _write_ndjson,
    ".json": _write_json,
}


# Parquet, with the extra `parquet`.


def _write_parquet(file: BinaryIO, records: Iterable[Record], columns: Sequence[str]) -> None:
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    kinds = {name: pa.int64() if name in NUMBERS else pa.string() for name in columns}
    schema = pa.schema(
        [(name, pa.bool_() if name == "success" else kinds[name]) for name in columns]
    )
    rows = iter(records)
    with parquet.ParquetWriter(file, schema) as writer:
        while part := list(islice(rows, ROWS)):
            table = [{name: record.get(name) for name in columns} for record in map(_row, part)]
            writer.write_table(pa.Table.from_pylist(table, schema))


# A folder of Markdown files.


def _write_folder(folder: Path, records: Iterable[Record]) -> None:
    """Write a file for each page, named after its URL, with its data at the top."""
    folder.mkdir(exist_ok=True)
    used: set[str] = set()
    for record in map(_row, records):
        if not record.get("success"):
            continue
        url = str(record.get("url") or record["asked"])
        name = file_name(url)
        if name.casefold() in used:
            name = f"{name}-{blake2b(url.encode(), digest_size=4).hexdigest()}"
        used.add(name.casefold())
        place = folder / f"{name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        facts = {key: record[key] for key in FACTS if record.get(key)}
        head = "".join(
            f"{key}: {json.dumps(str(value), ensure_ascii=False)}\n" for key, value in facts.items()
        )
        place.write_text(f"---\n{head}---\n\n{str(record.get('text', '')).strip()}\n", "utf-8")


def file_name(url: str) -> str:
    """Return a path without extension for a URL, which cannot lead out of its folder."""
    parts = urlsplit(url)
    names = [_safe(unquote(part)) for part in parts.path.split("/")]
    names = [name for name in names if name] or ["index"]
    if parts.path.endswith("/") and parts.path != "/":
        names.append("index")
    if parts.query:
        names[-1] = f"{names[-1]}_{_safe(unquote(parts.query))}"[:FILE_NAME_MAX]
    return "/".join((_safe(parts.netloc), *names))


def _safe(text: str) -> str:
    return _UNSAFE.sub("_", text).strip("._")[:FILE_NAME_MAX]
