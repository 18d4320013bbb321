"""``tabwright extract``: the structured data of a page, as JSON."""

from pathlib import Path

import msgspec

from tabwright.cli.output import json_text
from tabwright.cli.query import Asked, Query
from tabwright.content.render.data_record import data_record
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import completed
from tabwright.text.file_errors import file_problem


def data_query(url: str, schema: Path | None) -> Query:
    """Return the query for the data of a page."""

    async def read(asked: Asked) -> str:
        """Return the data as JSON; raises the errors of `Tabwright.extract`."""
        wanted = schema_in(schema) if schema else None
        page = await asked.tabwright.extract(completed(url), wanted, progress=asked.progress)
        return json_text(data_record(page))

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
