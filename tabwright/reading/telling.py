"""What every snapshot says of what was fetched, whatever that is."""

from urllib.parse import unquote, urlsplit

from tabwright.protocol.blocks import Blocks
from tabwright.protocol.fetching import Fetched
from tabwright.protocol.snapshots import Metadata, PageSnapshot


def told(fetched: Fetched, media_type: str, content: Blocks, charset: str = "") -> PageSnapshot:
    """A snapshot of a file; its title is the name that it has."""
    last_part = unquote(urlsplit(fetched.page.url).path.rpartition("/")[2])
    return PageSnapshot(
        url=fetched.page.url,
        title=fetched.file_name or last_part,
        status=fetched.page.status,
        media_type=media_type,
        content=content,
        metadata=Metadata(charset=charset),
        cut=fetched.cut is not None,
    )
