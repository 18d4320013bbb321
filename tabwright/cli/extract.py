"""``tabwright extract``: the structured data of a page, as JSON."""

from pathlib import Path

import msgspec

from tabwright.app import open_tabwright
from tabwright.cli.output import StepLines, json_text, print_outcome
from tabwright.config.settings import Settings
from tabwright.content.render.data_record import data_record
from tabwright.environment import Environment
from tabwright.protocol.errors import BadInput
from tabwright.protocol.web_urls import completed
from tabwright.text.file_errors import file_problem


async def extract(
    settings: Settings, environment: Environment, url: str, schema: Path | None
) -> int:
    """Print the data of a page; return the exit code."""

    async def read() -> str:
        """Return the data as JSON; raises the errors of `Tabwright.extract`."""
        wanted = schema_in(schema) if schema else None
        async with open_tabwright(settings, environment) as tabwright:
            page = await tabwright.extract(completed(url), wanted, progress=StepLines())
        return json_text(data_record(page))

    return await print_outcome(read, as_json=True, coded=True)


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
