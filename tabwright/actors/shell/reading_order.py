"""What a person at a shell asks ``browse`` for."""

from pathlib import Path

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.extraction import Reading


@attrs.frozen(kw_only=True)
class Order:
    """Pages to be read, and where they go.

    Attributes:
        urls: as they were given; one that is there twice is read once.
        session: whose cookies go along, and are kept; empty for nobody's.
        media_dir: where a page's pictures go, made small; None for nowhere.
        download_media: whether all its media go there instead, as they are; where there is no
            `media_dir`, into the user's cache.
        output: the file of a batch; None for standard output.
        at_once: how many pages are read at the same time.
    """

    urls: tuple[str, ...]
    reading: Reading
    session: str = ""
    media_dir: Path | None = None
    download_media: bool = False
    as_json: bool = False
    output: Path | None = None
    at_once: int = 1

    def __attrs_post_init__(self) -> None:
        if self.at_once < 1:
            raise BadInput(f"--batch-concurrency is {self.at_once}; at least 1 is needed.")
        if self.wants_media and (len(self.urls) > 1 or self.output is not None):
            raise BadInput("Media are taken of one page at a time.", advice="Name one URL.")

    @property
    def wants_media(self) -> bool:
        """Whether anything of what the page shows is to be put on disk."""
        return self.download_media or self.media_dir is not None
