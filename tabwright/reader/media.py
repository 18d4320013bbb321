"""The media of a page: fetched with its session, saved or scaled down, and named in notices."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import attrs
import trio
from platformdirs import user_cache_path

from tabwright.concurrency.grants import hold_grant
from tabwright.config.loader import open_private, private_folder
from tabwright.config.settings import ReadingSettings
from tabwright.protocol.actor import Address
from tabwright.protocol.errors import BadInput, Refusal, Unanswered, Undelivered
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.fetch import Fetch, Fetched
from tabwright.protocol.page_text import PageText
from tabwright.protocol.rate_limit import AcquirePermit, Governor
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, MediaItem, Thumbnail
from tabwright.reader.tiers import site_of
from tabwright.text.file_errors import file_problem
from tabwright.text.lines import NAMED_MAX

# Fetching the images, sounds and videos of a page.


@attrs.frozen(eq=False)
class MediaFetcher:
    """A fetcher of media.

    Attributes:
        governor: limits the requests to a site.
        fetch: fetches by HTTP, with the cookies of a session.
    """

    governor: Address[Governor]
    fetch: Callable[[Fetch], Awaitable[Fetched]]

    async def fetched(self, medium: MediaItem, session: str) -> Fetched | None:
        """Return the medium, fetched with the cookies of a session, or None if it is not available.

        Cancellation stops the download.
        """
        try:
            site = site_of(medium.url)
            async with hold_grant(
                self.governor, Governor.permit, lambda over: AcquirePermit(over, site)
            ):
                fetched = await self.fetch(Fetch(medium.url, session))
        except (Refusal, Undelivered, Unanswered):  # the text of the page replaces it
            return None
        return fetched if fetched.page.status < ERROR_STATUS_MIN else None


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
"""The file extension of media of unknown type."""

FAMILIES = ("image/", "video/", "audio/", "application/octet-stream")
"""A response of another type is not a medium, but a page with a message."""


@attrs.frozen
class MediaFile:
    """A medium on disk.

    Attributes:
        number: the number of its `tabwright.protocol.snapshot.Medium`.
        url: its source URL.
    """

    number: int
    url: str
    path: Path


@attrs.frozen
class MediaFolder:
    """A folder for media. It is created with the first file."""

    path: Path

    @classmethod
    def of(cls, page: PageText) -> "MediaFolder":
        """Return a folder in the user's cache for this page only."""
        name = sha256(page.url.encode("utf-8", "replace")).hexdigest()[:16]
        return cls(user_cache_path("tabwright", appauthor=False) / "media" / name)

    async def put(
        self, number: int, url: str, media_type: str, data: bytes, *, part: int = 0
    ) -> MediaFile:
        """Write a medium or a part of it, counted from 1; an existing file is replaced.

        Raises:
            BadInput: the file cannot be written.
        """
        name = f"{number:03}-{part}" if part else f"{number:03}"
        path = self.path / f"{name}.{ENDINGS.get(media_type, OTHER_ENDING)}"
        try:
            await trio.to_thread.run_sync(_write, path, data)
        except OSError as error:
            raise BadInput(
                file_problem(error, path, writing=True), advice="Use another --media-dir."
            ) from error
        return MediaFile(number, url, path)


MEDIA_MAX = 100
"""Maximum number of files of a page."""


async def download_media(
    media: MediaFetcher, page: PageText, folder: MediaFolder, bytes_max: int
) -> tuple[MediaFile, ...]:
    """Save the unchanged media of a page to a folder; return the saved files.

    Media that cannot be loaded completely are left out, and so are those beyond `MEDIA_MAX` or, in
    total, ``bytes_max``. Cancellation keeps the files that are already saved.

    Raises:
        BadInput: see `MediaFolder.put`.
    """
    found: list[MediaFile] = []
    left_bytes = bytes_max
    for medium in [one for one in page.media if one.url][:MEDIA_MAX]:
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
    """Write by way of a new file: an existing one may be a link to another place."""
    private_folder(path.parent)
    new = path.with_name(f".{path.name}.new")
    new.unlink(missing_ok=True)
    with open(new, "xb", opener=open_private) as file:
        file.write(data)
    new.replace(path)


# Pictures, scaled down.

TRIES_PER_PICTURE = 3
"""Pictures that are tried at most: many are too small to be useful, or missing."""


@attrs.frozen(eq=False)
class PictureReader:
    """A fetcher of pictures."""

    media: MediaFetcher
    extractor: Address[Extractor]
    settings: ReadingSettings

    async def pictures(self, page: PageText) -> tuple[Thumbnail, ...]:
        """Return the first pictures of a page, without missing and very small ones.

        Drawings come before images: the page already has them, and nothing else shows them.
        Cancellation stops the download.
        """
        drawings = [one for one in page.media if one.drawing]
        images = [one for one in page.media if one.kind == "image" and one.url]
        found: list[Thumbnail] = []
        for medium in (*drawings, *images)[: TRIES_PER_PICTURE * self.settings.pictures_max]:
            if picture := await self._picture(medium, page.session):
                found.append(picture)
            if len(found) == self.settings.pictures_max:
                break
        return tuple(found)

    async def _picture(self, medium: MediaItem, session: str) -> Thumbnail | None:
        data = medium.drawing
        if not data:
            fetched = await self.media.fetched(medium, session)
            if fetched is None:
                return None
            data = fetched.body
        return await self.extractor.ask(Extractor.shrink, medium, data, self.settings.picture_shape)


# Notices about pictures and drawings that the text of a page does not show.


def with_notices(page: PageText, *notices: str) -> PageText:
    """Return the page with further notices after its own; empty ones are left out."""
    return attrs.evolve(page, notice=" ".join(filter(None, (page.notice, *notices))))


def picture_notice(page: PageText, pictures: Sequence[Thumbnail]) -> str:
    """Return a notice about pictures that cannot be shown; empty if there are none."""
    images = [medium for medium in page.media if medium.kind == "image" and medium.url]
    if images and not pictures:
        return (
            "None of the pictures can be shown: they are missing, too small or too large, or of an "
            "unsupported format such as SVG. To see one, navigate to its URL and take a screenshot."
        )
    drawings = [str(one.number) for one in images if urlsplit(one.url).path.endswith(".svg")]
    if not drawings:
        return ""
    return (
        f"Not shown, because they are SVG: pictures {', '.join(drawings[:NAMED_MAX])}. To see "
        "one, navigate to its URL and take a screenshot."
    )


def canvas_notice(
    page: PageText,
    pictures: Sequence[Thumbnail] | None,
    way: str,
) -> str:
    """Return a notice about canvases with drawings that are not among the pictures.

    Args:
        page: the page.
        pictures: the pictures of the result; None if they can be had and were not requested.
        way: how they can be had.
    """
    shown = {one.number for one in pictures or ()}
    drawn = [one for one in page.media if one.drawn and one.number not in shown]
    readable = _numbers([one for one in drawn if one.drawing])
    unread = _numbers([one for one in drawn if not one.drawing])
    sentences: list[str] = []
    if readable and pictures is None:
        sentences.append(f"The page shows drawings (canvas {readable}): {way}.")
    elif readable:
        sentences.append(f"Drawings that are not among the pictures: canvas {readable}.")
    if unread:
        sentences.append(
            f"Canvas {unread} was not read, as it has pictures of another site or the page has too"
            " many drawings."
        )
    if unread or (readable and pictures is not None):
        sentences.append("To see what is missing, take a screenshot.")
    return " ".join(sentences)


def _numbers(media: Sequence[MediaItem]) -> str:
    more = ", …" if len(media) > NAMED_MAX else ""
    return ", ".join(str(one.number) for one in media[:NAMED_MAX]) + more
