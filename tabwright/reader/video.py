"""Pictures out of a video, taken by ffmpeg where that is installed.

A video is hostile input to a large program. So ffmpeg gets a file that is here already, and can
open nothing else: no address, no playlist that names other files. It has little time and memory,
prints to us alone, and is killed with whoever waits for it.
"""

import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, STDOUT
from tempfile import TemporaryDirectory
from typing import Protocol

import attrs
import trio

TIME_S = 20.0
"""For all pictures of a video; those that are there by then are given."""

FRAME_BYTES_MAX = 16_777_216
WORDS_BYTES_MAX = 65_536
"""What ffmpeg may print: a picture, or what it says of a video."""

CONTAINERS = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,avi,mpeg,mpegts"
"""What ffmpeg calls the formats that hold a whole video; others can name further files."""

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
class Frame:
    """A picture out of a video.

    Attributes:
        at_s: where in the video it stands.
        data: as PNG.
    """

    at_s: float
    data: bytes = attrs.field(repr=False)


class FrameTaker(Protocol):
    """Takes pictures out of videos."""

    async def __call__(self, video: bytes, count: int, /) -> Sequence[Frame]:
        """Up to `count` of them, spread over the video; none of what is no video."""
        ...


@attrs.frozen
class Ffmpeg:
    """A `FrameTaker`. Cancellation kills the program, and leaves no file.

    Attributes:
        path: of the program.
    """

    path: str

    async def __call__(self, video: bytes, count: int, /) -> Sequence[Frame]:
        """See `FrameTaker`."""
        frames: list[Frame] = []
        with trio.move_on_after(TIME_S), TemporaryDirectory(prefix="tabwright-") as folder:
            file = Path(folder) / "video"
            await trio.Path(file).write_bytes(video)
            for at_s in moments(await self._length_s(file), count):
                if data := await self._frame(file, at_s):
                    frames.append(Frame(at_s, data))  # noqa: PERF401  (kept if time is up)
        return frames

    async def _length_s(self, file: Path) -> float:
        """How long the video is; 0 where it does not say."""
        words = await _printed((self.path, *_CAREFUL, "-i", f"file:{file}"), WORDS_BYTES_MAX)
        length = _LENGTH.search(words)
        if length is None:
            return 0.0
        return int(length[1]) * 3600 + int(length[2]) * 60 + float(length[3])

    async def _frame(self, file: Path, at_s: float) -> bytes:
        """The picture at a moment; empty where there is none."""
        there = ("-loglevel", "quiet", "-ss", f"{at_s:.3f}", "-i", f"file:{file}")
        return await _printed((self.path, *_CAREFUL, *there, *_PICTURE), FRAME_BYTES_MAX)


def ffmpeg_at(setting: str | None) -> Ffmpeg | None:
    """The program that ``reading.ffmpeg`` names; None where there is none."""
    path = shutil.which("ffmpeg" if setting == "auto" else setting) if setting else None
    return Ffmpeg(path) if path else None


def moments(length_s: float, count: int) -> Sequence[float]:
    """The middles of equal parts of a video; its beginning where nobody knows its length."""
    if not length_s:
        return (0.0,)
    return tuple((number + 0.5) * length_s / count for number in range(count))


async def _printed(command: Sequence[str], bytes_max: int) -> bytes:
    """What a program prints; nothing of one that prints more, or cannot be started."""
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
            if len(printed) > bytes_max:
                return b""
    finally:
        await _end(process)
    return bytes(printed)


async def _end(process: trio.Process) -> None:
    with trio.CancelScope(shield=True):
        if process.stdout:
            await process.stdout.aclose()
        process.kill()
        await process.wait()
