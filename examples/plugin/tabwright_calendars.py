"""Calendars (RFC 5545): a format of files, the tool find_events, and the command agenda."""

import argparse
import re
import sys
from pathlib import Path

import attrs

from tabwright.cli.commands.command import CLICommand
from tabwright.content.documents import snapshot_of_response
from tabwright.content.formats import Format
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.plugin import Plugin
from tabwright.protocol.blocks import Code
from tabwright.protocol.untrusted_text import Quoted

FIELD = re.compile(r"^(DTSTART|SUMMARY)[^:\n]*:(.*)$", re.MULTILINE)
ICS = "text/calendar"


def events(calendar: bytes) -> str:
    """Return a line for each event, in order of time."""
    parts = calendar.decode("utf-8", "replace").replace("\r\n", "\n").split("BEGIN:VEVENT")[1:]
    fields = [dict(FIELD.findall(part)) for part in parts]
    return "\n".join(sorted(f"{one.get('DTSTART')} {one.get('SUMMARY')}" for one in fields))


@attrs.frozen
class FindEvents:
    """The arguments of the tool."""

    url: str
    word: str


async def find_events(arguments: FindEvents, context: ToolContext) -> ToolResult:
    """Read the calendar like any page, and quote what its author has written."""
    page = await context.tabwright.read(arguments.url)
    found = [line for line in page.text.splitlines() if arguments.word in line]
    return ToolResult(("Events:\n", Quoted("\n".join(found))))


def add_file(command: argparse.ArgumentParser) -> None:
    """Add the argument of the command."""
    command.add_argument("file", type=Path)


async def agenda(_settings: object, options: argparse.Namespace) -> int:
    """Print the events of a file."""
    sys.stdout.write(f"{events(options.file.read_bytes())}\n")
    return 0


FORMAT = Format(
    endings={".ics": ICS},
    detect=lambda _declared, body: ICS if body.startswith(b"BEGIN:VCALENDAR") else "",
    reads=lambda kind, _body: kind == ICS,
    read=lambda file, kind, _: snapshot_of_response(file, kind, (Code(events(file.body)),)),
)
TOOL = Tool(
    name="find_events",
    description="Find the events of a calendar (.ics) that contain a word.",
    group="calendars",
    annotations=READS,
    arguments=FindEvents,
    handler=find_events,
)
AGENDA = CLICommand("agenda", "Print the events of a calendar.", agenda, (add_file,))
PLUGIN = Plugin(
    name="calendars",
    summary="Reads calendars, finds events in them, and prints an agenda.",
    groups=("calendars",),
    tools=lambda: [TOOL],
    commands=lambda: [AGENDA],
    formats=lambda: [FORMAT],
)
