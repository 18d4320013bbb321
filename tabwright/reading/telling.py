"""What every snapshot says of what was fetched, whatever that is."""

from urllib.parse import unquote, urlsplit

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.fetching import Fetched
from tabwright.protocol.snapshots import Metadata, PageSnapshot
from tabwright.reading.lines import visible


def as_it_stands(text: str) -> str:
    """Text whose lines and tabs are kept, without what nobody sees, as codes for a terminal."""
    lines = text.splitlines()
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines).strip("\n")


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
