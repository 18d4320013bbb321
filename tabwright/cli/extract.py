"""``tabwright extract``: the structured data of a page, as JSON, or its records in a file."""

from pathlib import Path

import msgspec

from tabwright.cli.output import json_text
from tabwright.cli.page_files import checked_output, write_output
from tabwright.cli.query import Asked, Query
from tabwright.content.render.data_record import data_record, flat_records, nothing_found
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import completed
from tabwright.text.file_errors import file_problem
from tabwright.text.lines import counted

FORMATS = (".ndjson", ".json", ".csv")
"""The extensions of files of records."""


def data_query(url: str, schema: Path | None, output: Path | None) -> Query:
    """Return the query for the data of a page, which is written to `output` if there is one."""

    async def read(asked: Asked) -> str | None:
        """Return the data as JSON, or None if it was written to the file.

        Raises:
            BadInput: a file cannot be used; otherwise see `Tabwright.extract`.
        """
        if output is not None:
            if output.suffix not in FORMATS:
                raise BadInput(
                    f"{output} does not end in one of {', '.join(FORMATS)}.",
                    advice="The extension selects the format.",
                )
            checked_output(output)
        wanted = schema_in(schema) if schema else None
        page = await asked.tabwright.extract(completed(url), wanted, progress=asked.progress)
        if missing := nothing_found(page):
            asked.notice(missing)
        if output is None:
            return json_text(data_record(page))
        records = flat_records(page)
        columns = list(dict.fromkeys(name for record in records for name in record))
        write_output(output, records, columns)
        asked.notice(f"{counted(len(records), 'record')} written to {output}.")
        return None

    return Query(ask=read, as_json=True, coded=True)


def schema_in(path: Path) -> dict[str, object]:
    """Return the JSON Schema in a file.

    Raises:
        BadInput: it cannot be read, or is not a JSON object.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except OSError as error:
        raise BadInput(file_problem(error, path), advice="Name a file of JSON.") from error
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise BadInput(
            f"{path} is not a JSON object: {error}.", advice="Write a JSON Schema."
        ) from error
