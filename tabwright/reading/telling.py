"""What every snapshot says of what was fetched, whatever that is."""

from collections.abc import Callable
from urllib.parse import unquote, urlsplit

import msgspec

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Metadata, PageSnapshot
from tabwright.text.lines import visible


def as_it_stands(text: str) -> str:
    """Text whose lines and tabs are kept, without what nobody sees, as codes for a terminal."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines).strip("\n")


def each_text(value: object, change: Callable[[str], str]) -> object:
    """A value of JSON, with each text in it changed, names included."""
    match value:
        case str():
            return change(value)
        case dict():
            pairs = msgspec.convert(value, dict[str, object]).items()
            return {change(name): each_text(inner, change) for name, inner in pairs}
        case list() | tuple():
            inner = msgspec.convert(value, list[object])
            return [each_text(one, change) for one in inner]
        case _:
            return value


def record_as_it_stands(record: object) -> object:
    """A record as plain values for a program, without anything that nobody sees."""
    return each_text(msgspec.to_builtins(record), as_it_stands)


def told(fetched: Fetched, media_type: str, content: Blocks, charset: str = "") -> PageSnapshot:
    """A snapshot of a file; its title is the name that it has."""
    last_part = unquote(urlsplit(fetched.page.url).path.rpartition("/")[2])
    return PageSnapshot(
        url=fetched.page.url,
        title=visible(fetched.file_name or last_part),
        status=fetched.page.status,
        media_type=media_type,
        content=content,
        metadata=Metadata(charset=charset),
        cut=fetched.cut is not None,
    )
