"""``tabwright trace``: show the trace of a session, or convert it."""

import argparse
import os
import sys
import webbrowser
from pathlib import Path

from tabwright.cli.output import json_text
from tabwright.cli.parsing import WRONG_USE
from tabwright.protocol.errors import BadInput
from tabwright.text.file_errors import file_problem
from tabwright.trace.export import EXPORT_KINDS, export_trace
from tabwright.trace.trace_file import SUFFIX, Trace, read_trace
from tabwright.trace.viewer import trace_record, trace_text, viewer_page


def trace(options: argparse.Namespace) -> int:
    """Show or convert a trace; return the exit code."""
    try:
        sys.stdout.write(_shown(options))
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return WRONG_USE
    return 0


def _shown(options: argparse.Namespace) -> str:
    """Return what the command prints.

    Raises:
        BadInput: a file cannot be read or written, or the trace cannot be converted.
    """
    found = read_trace(options.file)
    if options.action == "export":
        return _export(found, options)
    if options.json:
        return f"{json_text(trace_record(found))}\n"
    if options.text:
        return f"{trace_text(found)}\n"
    return _show(found, options)


def _show(found: Trace, options: argparse.Namespace) -> str:
    path = options.output or options.file.with_name(
        f"{options.file.name.removesuffix(SUFFIX)}.trace.html"
    )
    write_private(path, viewer_page(found).encode())
    is_opened = options.output is None and webbrowser.open(path.absolute().as_uri())
    return f"{'Opened' if is_opened else 'Written:'} {path}\n"


def _export(found: Trace, options: argparse.Namespace) -> str:
    """Return the exported text, or write it into the file of ``--output``.

    Raises:
        BadInput: no form is chosen, or the trace cannot be converted to it.
    """
    if options.to is None:
        raise BadInput(
            "The form of the export is missing.", advice=f"Use --to {'|'.join(EXPORT_KINDS)}."
        )
    text = export_trace(found, options.to, options.url)
    if options.output is None:
        return text
    write_private(options.output, text.encode())
    return f"Written: {options.output}\n"


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its user can read, because it shows what a session has seen.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600)
        with open(descriptor, "wb") as file:  # noqa: PTH123  (a descriptor is no path)
            file.write(data)
    except OSError as error:
        raise BadInput(
            file_problem(error, path, writing=True), advice="Name another file with --output."
        ) from error
