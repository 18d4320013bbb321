"""``tabwright trace``: show the trace of a session, or convert it."""

import argparse
import sys
import webbrowser
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path

import trio

from tabwright.cli.exit_codes import ExitCode
from tabwright.cli.output import json_text
from tabwright.config.loader import open_private
from tabwright.plugins.trace.export import EXPORT_KINDS, export_trace
from tabwright.plugins.trace.har import har_text
from tabwright.plugins.trace.steps import needed_secrets, steps_of
from tabwright.plugins.trace.trace_file import SUFFIX, Trace, read_trace
from tabwright.plugins.trace.video import make_video
from tabwright.plugins.trace.viewer import trace_record, trace_text, viewer_page
from tabwright.protocol.errors import BadInput
from tabwright.reader.video import installed_ffmpeg
from tabwright.text.file_errors import file_problem


async def show(options: argparse.Namespace) -> int:
    """Show a trace; return the exit code."""

    async def shown(found: Trace) -> str:
        """Return what is printed."""
        return await trio.to_thread.run_sync(_shown, found, options)

    return await _printed(options.file, shown)


async def export(options: argparse.Namespace) -> int:
    """Convert a trace; return the exit code."""
    return await _printed(options.file, partial(_export, options=options))


async def _printed(path: Path, text: Callable[[Trace], Awaitable[str]]) -> int:
    try:
        found = await trio.to_thread.run_sync(read_trace, path)
        sys.stdout.write(await text(found))
    except BadInput as error:
        sys.stderr.write(f"{error}\n")
        return ExitCode.WRONG_USE
    return 0


def _shown(found: Trace, options: argparse.Namespace) -> str:
    """Return a trace as text, or write its page and open it.

    Raises:
        BadInput: the page cannot be written.
    """
    if options.json:
        return f"{json_text(trace_record(found))}\n"
    if options.text:
        return f"{trace_text(found)}\n"
    path = options.output or options.file.with_name(
        f"{options.file.name.removesuffix(SUFFIX)}.trace.html"
    )
    write_private(path, viewer_page(found).encode())
    is_opened = options.output is None and webbrowser.open(path.absolute().as_uri())
    return f"{'Opened' if is_opened else 'Written:'} {path}\n"


async def _export(found: Trace, options: argparse.Namespace) -> str:
    """Return the exported text, or write it into the file of ``--output``.

    Raises:
        BadInput: no form is chosen, or the trace cannot be converted to it.
    """
    if options.to is None:
        forms = ", ".join((*EXPORT_KINDS, "har", "video"))
        raise BadInput("The form of the export is missing.", advice=f"Use --to with {forms}.")
    if options.to == "video":
        data = await _video(found, options.output)
    else:
        text = (
            har_text(found) if options.to == "har" else export_trace(found, options.to, options.url)
        )
        if options.to == "run" and (names := needed_secrets(steps_of(found))):
            sys.stderr.write(f"The steps need {', '.join(names)} in acting.secrets.\n")
        if options.output is None:
            return text
        data = text.encode()
    await trio.to_thread.run_sync(write_private, options.output, data)
    return f"Written: {options.output}\n"


async def _video(found: Trace, path: Path | None) -> bytes:
    """Return the video of a trace.

    Raises:
        BadInput: no file is named, ffmpeg is not installed, or it cannot make the video.
    """
    if path is None:
        raise BadInput("A video is not text.", advice="Name a file with --output.")
    program = installed_ffmpeg()
    if program is None:
        raise BadInput(
            "A video requires ffmpeg, which is not installed.",
            advice="Install it, for example with apt install ffmpeg, or add it to PATH.",
        )
    return await make_video(found, program.path)


def write_private(path: Path, data: bytes) -> None:
    """Write a file that only its user can read, because it shows what a session has seen.

    Raises:
        BadInput: it cannot be written.
    """
    try:
        with open(path, "wb", opener=open_private) as file:
            file.write(data)
    except OSError as error:
        raise BadInput(
            file_problem(error, path, writing=True), advice="Name another file with --output."
        ) from error
