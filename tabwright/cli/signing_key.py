"""``tabwright config signing-key``: creates a key of requests, prints its public key."""

import argparse
import sys
from pathlib import Path

import trio

from tabwright.cli.output import json_text
from tabwright.config.settings import Settings, SigningSettings
from tabwright.http.signing_keys import (
    DIRECTORY_PATH,
    DIRECTORY_TYPE,
    create_key,
    key_directory,
    key_id,
    read_key,
)
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem


async def signing_key(settings: Settings, options: argparse.Namespace) -> int:
    """Print the public key of a file on standard output, and what to do with it on standard error.

    A file that does not exist is created with a new key; one that exists is never changed.

    Raises:
        BadInput: no file is named, or it cannot be written.
        SettingsError: the file is not a key.
    """
    signing = settings.network.signing
    named = options.file or (Path(signing.key) if signing else None)
    if named is None:
        raise BadInput("Name a file for the key.", advice="tabwright config signing-key FILE")
    text, notes = await trio.to_thread.run_sync(_of_file, named, signing)
    sys.stdout.write(f"{text}\n")
    sys.stderr.write(f"{notes}\n")
    return 0


def _of_file(named: Path, signing: SigningSettings | None) -> tuple[str, str]:
    """Return the public key in the file, and what to do with it."""
    path = named.expanduser().absolute()
    is_new = not path.exists()
    try:
        key = create_key(path) if is_new else read_key(path)
    except OSError as error:
        raise BadInput(
            file_problem(error, path, writing=True), advice="Use another file."
        ) from error
    site = (signing.agent if signing else None) or "https://YOUR-SITE"
    notes = (
        f"{'Created' if is_new else 'Read'} {path}, whose key has the id {key_id(key)}.",
        f"Publish the text above at {site.rstrip('/')}{DIRECTORY_PATH}, as {DIRECTORY_TYPE}.",
        f"Settings: network.signing: {{key: {path}, agent: {site}}}",
    )
    return json_text(key_directory(key)), "\n".join(notes)
