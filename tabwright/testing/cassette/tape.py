"""The content of a cassette: the frames of each browser in order, and the fetched pages.

The file has one JSON object a line, so that version control shows what another recording changed.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import attrs
import msgspec

from tabwright.protocol.errors import BadInput

JSONObject: TypeAlias = Mapping[str, object]

VERSION = 1


@attrs.frozen
class SentCommand:
    """A command to the browser.

    Attributes:
        number: its number in the recorded conversation.
        at_s: seconds since the browser was opened.
        session_id: the session of its target; empty for the browser itself.
    """

    number: int
    at_s: float
    method: str
    params: JSONObject
    session_id: str = ""


@attrs.frozen
class ReceivedReply:
    """The reply to the command of that number: its result, or its error."""

    number: int
    at_s: float
    result: JSONObject | None = None
    error: JSONObject | None = None
    session_id: str = ""


@attrs.frozen
class ReceivedEvent:
    """An event of the browser."""

    at_s: float
    method: str
    params: JSONObject
    session_id: str = ""


TapeFrame: TypeAlias = SentCommand | ReceivedReply | ReceivedEvent


@attrs.frozen
class RecordedBrowser:
    """The conversation with one browser, from its start to its end.

    Attributes:
        visible: whether it had windows; None if only its name tells.
    """

    visible: bool | None
    frames: Sequence[TapeFrame]


@attrs.frozen
class RecordedFetch:
    """A page that was fetched without a browser, or why it could not be.

    Attributes:
        url: the requested URL.
        sent: the body of a POST; empty for a GET.
        took_s: seconds from the request to the response.
        final_url: the URL after redirects.
        text: the body, if it is UTF-8.
        data: the body, if it is not.
        problem: the message of the error; empty if there was a response.
        code: the number of the error's `ErrorCode`.
    """

    url: str
    sent: str = ""
    took_s: float = 0.0
    final_url: str = ""
    status: int = 0
    mime_type: str = ""
    charset: str = ""
    chain: tuple[str, ...] = ()
    text: str = ""
    data: bytes = b""
    problem: str = ""
    code: int = 0


@attrs.frozen
class Tape:
    """All that a cassette contains.

    Attributes:
        version: of the tabwright that recorded it; empty if unknown.
    """

    browsers: Sequence[RecordedBrowser] = ()
    fetches: Sequence[RecordedFetch] = ()
    version: str = ""


@attrs.frozen(kw_only=True)
class _Line:
    """A line of the file; one of its fields is set."""

    cassette: int | None = None
    tabwright: str = ""
    browser: Mapping[str, bool | None] | None = None
    send: SentCommand | None = None
    reply: ReceivedReply | None = None
    event: ReceivedEvent | None = None
    fetch: RecordedFetch | None = None


def write_tape(path: Path, tape: Tape) -> None:
    """Write a tape to a file; an older file is replaced as a whole."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.unfinished")
    unfinished.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in _lines(tape)))
    unfinished.replace(path)


def read_tape(path: Path) -> Tape:
    """Read a tape from a file.

    Raises:
        BadInput: it is not a cassette, or one of another version.
        OSError: it cannot be read.
    """
    decoder = msgspec.json.Decoder(_Line)
    try:
        lines = [decoder.decode(line) for line in path.read_bytes().splitlines()]
    except msgspec.DecodeError as error:
        raise _not_a_cassette(path) from error
    if not lines or lines[0].cassette != VERSION:
        raise _not_a_cassette(path)
    browsers: list[RecordedBrowser] = []
    frames: list[TapeFrame] = []
    fetches: list[RecordedFetch] = []
    for line in lines[1:]:
        if line.browser is not None:
            frames = []
            browsers.append(RecordedBrowser(line.browser.get("visible"), frames))
        elif line.fetch is not None:
            fetches.append(line.fetch)
        elif frame := line.send or line.reply or line.event:
            frames.append(frame)
    return Tape(browsers, fetches, lines[0].tabwright)


def _not_a_cassette(path: Path) -> BadInput:
    return BadInput(
        f"{path.name} is not a cassette of version {VERSION}.",
        advice="Record it again with --cassette-record.",
    )


def _lines(tape: Tape) -> Iterator[JSONObject]:
    yield {"cassette": VERSION, "tabwright": tape.version}
    for browser in tape.browsers:
        yield {"browser": {"visible": browser.visible}}
        for frame in browser.frames:
            match frame:
                case SentCommand():
                    yield {"send": _fields(frame)}
                case ReceivedReply():
                    yield {"reply": _fields(frame)}
                case ReceivedEvent():
                    yield {"event": _fields(frame)}
    for fetch in tape.fetches:
        yield {"fetch": _fields(fetch)}


def _fields(part: TapeFrame | RecordedFetch) -> JSONObject:
    """Return the fields that do not have their default."""
    fields: JSONObject = msgspec.to_builtins(
        {
            field.name: round(value, 4) if isinstance(value, float) else value
            for field in attrs.fields(type(part))
            if (value := getattr(part, field.name)) != field.default
        }
    )
    return fields
