"""The media of a page: fetched as the page was, saved under names of our own, or made small."""

from collections.abc import Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path

import attrs
import trio
from platformdirs import user_cache_path

from tabwright.concurrency.grants import hold_grant
from tabwright.config.loader import open_private, private_folder
from tabwright.config.settings import ReadingSettings
from tabwright.protocol.actor import Address, Expiry
from tabwright.protocol.errors import BadInput, Refusal, Unanswered, Undelivered
from tabwright.protocol.extraction import Extractor, MakeThumbnail
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.page_text import PageText
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, MediaItem, Thumbnail
from tabwright.reader.tiers import site_of

# Fetching what a page shows and plays.


@attrs.frozen(eq=False)
class MediaFetcher:
    """Fetches media."""

    governor: Address[Governor]
    fetcher: Address[Fetcher]

    async def fetched(self, medium: MediaItem, session: str) -> Fetched | None:
        """The medium with the cookies of a session; None where it cannot be had.

        Cancellation stops the loading.
        """
        try:
            async with hold_grant(self.governor, partial(_permit, site_of(medium.url))):
                fetched = await self.fetcher.ask(Fetch(medium.url, session))
        except (Refusal, Undelivered, Unanswered):  # the words of the page stand for it
            return None
        return fetched if fetched.page.status < ERROR_STATUS_MIN else None


def _permit(host: str, over: Expiry) -> AcquirePermit:
    return AcquirePermit(over, host)


ENDINGS: Mapping[str, str] = {
    "image/avif": "avif",
    "image/bmp": "bmp",
    "image/gif": "gif",
    "image/jpeg": "jpeg",
    "image/png": "png",
    "image/svg+xml": "svg",
    "image/vnd.microsoft.icon": "ico",
    "image/webp": "webp",
    "image/x-icon": "ico",
    "video/mp4": "mp4",
    "video/ogg": "ogv",
    "video/quicktime": "mov",
    "video/webm": "webm",
    "audio/aac": "aac",
    "audio/flac": "flac",
    "audio/mp4": "m4a",
    "audio/mpeg": "mp3",
    "audio/ogg": "ogg",
    "audio/wav": "wav",
    "audio/webm": "weba",
    "audio/x-wav": "wav",
}
OTHER_ENDING = "bin"
"""Of media whose type we do not know."""

FAMILIES = ("image/", "video/", "audio/", "application/octet-stream")
"""What is sent as something else is no medium, but a page that says so."""


@attrs.frozen
class MediaFile:
    """A medium on disk.

    Attributes:
        number: that of its `tabwright.protocol.snapshot.Medium`.
        url: where it came from.
    """

    number: int
    url: str
    path: Path


@attrs.frozen
class MediaFolder:
    """Where they are put. It is made when the first one comes."""

    path: Path

    @classmethod
    def of(cls, page: PageText) -> "MediaFolder":
        """One in the user's cache, for this page alone."""
        name = sha256(page.url.encode("utf-8", "replace")).hexdigest()[:16]
        return cls(user_cache_path("tabwright", appauthor=False) / "media" / name)

    async def put(
        self, number: int, url: str, media_type: str, data: bytes, *, part: int = 0
    ) -> MediaFile:
        """Writes one, or a part of it, counted from 1; what was there gives way.

        Raises:
            BadInput: it cannot be written.
        """
        name = f"{number:03}-{part}" if part else f"{number:03}"
        path = self.path / f"{name}.{ENDINGS.get(media_type, OTHER_ENDING)}"
        try:
            await trio.to_thread.run_sync(_write, path, data)
        except OSError as error:
            raise BadInput(
                f"{self.path} cannot be written: {error}.", advice="Use another --media-dir."
            ) from error
        return MediaFile(number, url, path)


async def download_media(
    media: MediaFetcher, page: PageText, folder: MediaFolder, settings: ReadingSettings
) -> tuple[MediaFile, ...]:
    """Puts the media of a page into a folder as they are; gives those that are there.

    What cannot be had whole is left out, and so is what is beyond ``media_max`` or
    ``media_bytes_max``. Cancellation keeps those that are there already.

    Raises:
        BadInput: as `MediaFolder.put`.
    """
    found: list[MediaFile] = []
    left_bytes = settings.media_bytes_max
    for medium in [one for one in page.media if one.url][: settings.media_max]:
        fetched = await media.fetched(medium, page.session)
        if fetched is None or fetched.cut or not fetched.page.mime_type.startswith(FAMILIES):
            continue
        left_bytes -= len(fetched.body)
        if left_bytes < 0:
            break
        found.append(
            await folder.put(medium.number, medium.url, fetched.page.mime_type, fetched.body)
        )
    return tuple(found)


def _write(path: Path, data: bytes) -> None:
    """Goes by a new file: one that is there may be a link to somewhere else."""
    private_folder(path.parent)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with open(new, "xb", opener=open_private) as file:
        file.write(data)
    new.replace(path)


# Pictures, made small.

TRIES_PER_PICTURE = 3
"""Many a picture is too small to be looked at, or gone."""


@attrs.frozen(eq=False)
class PictureReader:
    """Fetches pictures."""

    media: MediaFetcher
    extractor: Address[Extractor]
    settings: ReadingSettings

    async def pictures(self, page: PageText) -> tuple[Thumbnail, ...]:
        """The first pictures of a page; what cannot be had, or is too small, is left out.

        Cancellation stops the loading.
        """
        images = [one for one in page.media if one.kind == "image" and one.url]
        found: list[Thumbnail] = []
        for medium in images[: TRIES_PER_PICTURE * self.settings.pictures_max]:
            if picture := await self._picture(medium, page.session):
                found.append(picture)
            if len(found) == self.settings.pictures_max:
                break
        return tuple(found)

    async def _picture(self, medium: MediaItem, session: str) -> Thumbnail | None:
        fetched = await self.media.fetched(medium, session)
        if fetched is None:
            return None
        return await self.extractor.ask(
            MakeThumbnail(
                medium,
                fetched.body,
                self.settings.picture_width,
                self.settings.picture_height,
                self.settings.picture_quality,
            )
        )
