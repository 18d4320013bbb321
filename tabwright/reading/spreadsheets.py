"""Comma- and tab-separated values as a table (RFC 4180)."""

import csv
from io import StringIO
from itertools import islice

from tabwright.protocol.blocks import Inlines, Table, Text
from tabwright.text.lines import collapsed

ROWS_MAX = 20_000
COLUMNS_MAX = 500
CELL_CHARACTERS_MAX = 1_000_000


def table_of(text: str, separator: str) -> Table:
    """The table; its first line is the header. Semicolons separate where commas do not."""
    csv.field_size_limit(CELL_CHARACTERS_MAX)
    head = text.partition("\n")[0]
    if separator == "," and head.count(";") > head.count(","):
        separator = ";"
    lines = csv.reader(StringIO(text), delimiter=separator)
    try:
        rows = [tuple(map(_cell, row[:COLUMNS_MAX])) for row in islice(lines, ROWS_MAX) if row]
    except csv.Error:  # a quotation mark too many: then it is none of a cell
        plain = (line.split(separator) for line in text.splitlines()[:ROWS_MAX])
        rows = [tuple(map(_cell, row[:COLUMNS_MAX])) for row in plain]
    return Table(tuple(rows))


def _cell(value: str) -> Inlines:
    text = collapsed(value)
    return (Text(text),) if text else ()
