"""The videos of a page: frames extracted by ffmpeg, if installed, and transcripts.

A video is hostile input to a large program. So ffmpeg reads a file that is already downloaded and
can open nothing else: no URL, and no playlist that names other files. Its time and memory are
limited, its output goes only to us, and it is killed with the task that waits for it.
"""

import re
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from tempfile import TemporaryDirectory
from typing import Protocol

import attrs
import trio

from tabwright.config.settings import ReadingSettings
from tabwright.content.documents import is_captions, transcript
from tabwright.protocol.actor import Address
from tabwright.protocol.blocks import Block, Blocks
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import Extractor
from tabwright.protocol.page_text import PageText
from tabwright.protocol.snapshot import MediaItem, PageSnapshot, Selection, Thumbnail
from tabwright.reader.media import MediaFetcher

TIME_S = 20.0
"""Seconds for all frames of a video; those extracted by then are returned."""

PRINTED_BYTES_MAX = 16_777_216
"""Maximum bytes of ffmpeg's output: a frame, or the description of a video."""

CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,avi,mpeg,mpegts"
"""ffmpeg's names of the formats that contain a whole video; others can name further files."""

_CAREFUL = (
    *("-nostdin", "-hide_banner", "-max_alloc", "268435456", "-threads", "1"),
    *("-protocol_whitelist", "file", "-format_whitelist", CONTAINERS, "-max_pixels", "35000000"),
)
_PICTURE = (
    *("-an", "-sn", "-dn", "-frames:v", "1"),
    *("-vf", "scale='min(1920,iw)':'min(1080,ih)':force_original_aspect_ratio=decrease"),
    *("-f", "image2pipe", "-c:v", "png", "pipe:1"),
)
_LENGTH = re.compile(rb"^  Duration: (\d+):(\d\d):(\d\d\.?\d*)", re.MULTILINE)


@attrs.frozen
class VideoFrame:
    """A frame of a video.

    Attributes:
        at_s: its position in the video.
        data: the picture as PNG.
    """

    at_s: float
    data: bytes = attrs.field(repr=False)


class FrameExtractor(Protocol):
    """An extractor of frames from videos."""

    async def __call__(
        self, video: bytes, count: int, interval_s: float | None = None, /
    ) -> Sequence[VideoFrame]:
        """Return up to `count` frames; none if the data is not a video.

        They are `interval_s` seconds apart from the beginning, or spread over the video if it is
        None.
        """
        ...


@attrs.frozen
class Ffmpeg:
    """A `FrameExtractor` that runs ffmpeg. Cancellation kills the program, and leaves no file.

    Attributes:
        path: the path of the program.
    """

    path: str

    async def __call__(
        self, video: bytes, count: int, interval_s: float | None = None, /
    ) -> Sequence[VideoFrame]:
        """Return up to `count` frames, as PNG; ffmpeg decodes each of them by itself."""
        frames: list[VideoFrame] = []
        with trio.move_on_after(TIME_S), TemporaryDirectory(prefix="tabwright-") as folder:
            file = Path(folder) / "video"
            await trio.Path(file).write_bytes(video)
            words = await _printed((self.path, *_CAREFUL, "-i", f"file:{file}"))
            length = _LENGTH.search(words)
            if length is None:
                length_s = 0.0
            else:
                length_s = int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3])
            for at_s in moments(length_s, count, interval_s):
                there = ("-loglevel", "quiet", "-ss", f"{at_s:.3f}", "-i", f"file:{file}")
                command = (self.path, *_CAREFUL, *there, *_PICTURE)
                if data := await _printed(command):
                    frames.append(VideoFrame(at_s, data))
        return frames


def installed_ffmpeg() -> Ffmpeg | None:
    """Return the program on PATH, or None if there is none."""
    path = shutil.which("ffmpeg")
    return Ffmpeg(path) if path else None


def moments(length_s: float, count: int, interval_s: float | None = None) -> Sequence[float]:
    """Return the positions of up to `count` frames of a video.

    They are every `interval_s` seconds, or the middles of equal parts if it is None. If the length
    is not known, it is the beginning.
    """
    if not length_s:
        return (0.0,)
    if interval_s is not None:
        every = (number * interval_s for number in range(count))
        return tuple(at_s for at_s in every if at_s < length_s)
    return tuple((number + 0.5) * length_s / count for number in range(count))


async def _printed(command: Sequence[str]) -> bytes:
    """Return the output of a program; empty if it is too long or the program cannot be started."""
    try:
        process = await trio.lowlevel.open_process(
            command, stdin=DEVNULL, stdout=PIPE, stderr=STDOUT
        )
    except OSError:
        return b""
    printed = bytearray()
    try:
        while process.stdout and (part := await process.stdout.receive_some()):
            printed += part
            if len(printed) > PRINTED_BYTES_MAX:
                return b""
    finally:
        with trio.CancelScope(shield=True):
            if process.stdout:
                await process.stdout.aclose()
            process.kill()
            await process.wait()
    return bytes(printed)


# Transcripts of videos and sounds that have captions.

PATIENCE_S = 10.0
"""Seconds for all transcripts of a page together; it can be read without them."""


@attrs.frozen(eq=False)
class TranscriptReader:
    """A fetcher of captions by HTTP, as far as the settings allow."""

    media: MediaFetcher
    extractor: Address[Extractor]

    async def with_transcripts(self, snapshot: PageSnapshot, session: str) -> PageSnapshot:
        """Return the snapshot with the transcripts of its media at the end.

        Captions that do not load in time stay URLs in the list of media. Cancellation stops the
        download.
        """
        captioned = [medium for medium in snapshot.media if medium.captions]
        transcripts: list[Block] = []
        with trio.move_on_after(PATIENCE_S):
            for medium in captioned:
                with suppress(TabwrightError):
                    transcripts += await self._transcript(medium, session)
        return attrs.evolve(snapshot, content=(*snapshot.content, *transcripts))

    async def _transcript(self, medium: MediaItem, session: str) -> Blocks:
        captions = attrs.evolve(medium, url=medium.captions[0])
        fetched = await self.media.fetched(captions, session)
        from tabwright.content.extract import media_type  # noqa: PLC0415  (not light)

        if fetched is None or not is_captions(media_type(fetched), fetched.body):
            return ()
        taken = await self.extractor.ask(Extractor.take, fetched, Selection(), 1)
        return transcript(medium, taken.snapshot.content)


# Videos as small pictures.

VIDEOS_MAX = 3
"""Maximum number of videos that are tried; the frames are those of the first that has any."""

NO_PROGRAM = "No frames of the videos: ffmpeg is not installed."
NO_PICTURE = "No frames of the videos: none could be extracted."


@attrs.frozen
class VideoFrames:
    """The frames of a video.

    Attributes:
        notice: why there are no frames; empty if there is no video to show.
    """

    pictures: tuple[Thumbnail, ...] = ()
    notice: str = ""


@attrs.frozen(eq=False)
class VideoReader:
    """A reader of videos as pictures.

    Attributes:
        take: extracts frames; None if no extractor is available.
    """

    media: MediaFetcher
    extractor: Address[Extractor]
    take: FrameExtractor | None
    settings: ReadingSettings

    async def frames(self, page: PageText) -> VideoFrames:
        """Return frames of the first video of a page that has any, in order.

        Cancellation stops the download and the program that extracts the frames.
        """
        videos = [one for one in page.media if one.kind == "video" and one.url]
        if not videos or not self.settings.video_frames:
            return VideoFrames()
        if self.take is None:
            return VideoFrames(notice=NO_PROGRAM)
        for medium in videos[:VIDEOS_MAX]:
            if fetched := await self.media.fetched(medium, page.session):
                count, interval_s = self.settings.video_frames, self.settings.video_interval_s
                frames = await self.take(fetched.body, count, interval_s)
                if pictures := await self._pictures(medium, frames):
                    return VideoFrames(pictures)
        return VideoFrames(notice=NO_PICTURE)

    async def _pictures(
        self, medium: MediaItem, frames: Sequence[VideoFrame]
    ) -> tuple[Thumbnail, ...]:
        shape = self.settings.picture_shape
        found = [
            await self.extractor.ask(Extractor.shrink, _shown_at(medium, frame), frame.data, shape)
            for frame in frames
        ]
        return tuple(picture for picture in found if picture)


def _shown_at(medium: MediaItem, frame: VideoFrame) -> MediaItem:
    minutes, seconds = divmod(round(frame.at_s), 60)
    return attrs.evolve(medium, alt=f"{medium.alt} (at {minutes}:{seconds:02})".lstrip())
