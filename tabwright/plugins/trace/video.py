"""The pictures of a trace as a video (WebM), by ffmpeg."""

from collections.abc import Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from subprocess import DEVNULL
from tempfile import TemporaryDirectory

import attrs
import trio

from tabwright.plugins.trace.trace_file import Trace
from tabwright.protocol.errors import BadInput

FRAME_S_MIN, FRAME_S_MAX, LAST_S = 0.5, 3.0, 2.0
"""How long a picture is shown, in seconds: until the next action, within limits."""

VIDEO_S = 600.0
"""Seconds for ffmpeg."""

WIDTH, HEIGHT = 1280, 720

FIT = (
    f"scale={WIDTH}:{HEIGHT}:force_original_aspect_ratio=decrease,"
    f"pad={WIDTH}:{HEIGHT}:(ow-iw)/2:(oh-ih)/2:color=white,fps=10,format=yuv420p"
)

CAREFUL = (
    *("-nostdin", "-hide_banner", "-loglevel", "error", "-max_pixels", "35000000"),
    *("-protocol_whitelist", "file", "-format_whitelist", "concat,image2,jpeg_pipe,mjpeg"),
)
"""The pictures may be of someone else's trace: ffmpeg reads nothing but JPEG files in a folder."""

ENCODING = ("-c:v", "libvpx", "-b:v", "1M", "-deadline", "realtime", "-cpu-used", "8", "-an")


@attrs.frozen
class TimedPicture:
    """A picture, and how long it is shown."""

    data: bytes = attrs.field(repr=False)
    seconds: float


def timed_pictures(trace: Trace) -> tuple[TimedPicture, ...]:
    """Return the pictures of a trace in order, each until the next event with one.

    Raises:
        BadInput: it has none.
    """
    shown = [
        (one.at, trace.pictures[one.picture])
        for one in trace.events
        if one.picture in trace.pictures
    ]
    if not shown:
        raise BadInput("The trace has no pictures.", advice="Record pages that are open in a tab.")
    lengths = [after[0] - before[0] for before, after in pairwise(shown)]
    limited = [min(max(seconds, FRAME_S_MIN), FRAME_S_MAX) for seconds in lengths]
    pairs = zip(shown, (*limited, LAST_S), strict=True)
    return tuple(TimedPicture(picture, seconds) for (_, picture), seconds in pairs)


async def make_video(trace: Trace, program: str) -> bytes:
    """Return the pictures of a trace as a video. Cancellation kills ffmpeg and leaves no file.

    Args:
        trace: the trace.
        program: the path of ffmpeg.

    Raises:
        BadInput: the trace has no pictures, or ffmpeg cannot make a video of them.
    """
    pictures = timed_pictures(trace)
    with TemporaryDirectory(prefix="tabwright-") as name, trio.move_on_after(VIDEO_S):
        folder = Path(name)
        await trio.to_thread.run_sync(_write_pictures, folder, pictures)
        made = folder / "video.webm"
        length = f"{sum(one.seconds for one in pictures):.3f}"
        frames = ("-f", "concat", "-i", str(folder / LIST), "-t", length, "-vf", FIT)
        command = (program, *CAREFUL, *frames, *ENCODING, "-f", "webm", str(made))
        quiet = partial(trio.run_process, stdin=DEVNULL, stdout=DEVNULL, stderr=DEVNULL)
        try:
            if (await quiet(command, check=False)).returncode == 0:
                return await trio.to_thread.run_sync(made.read_bytes)
        except OSError:
            pass
    raise BadInput(
        f"{program} could not make a video of the pictures.",
        advice="Install an ffmpeg that can encode VP8 (libvpx).",
    )


LIST = "pictures.txt"


def _write_pictures(folder: Path, pictures: Sequence[TimedPicture]) -> None:
    """Write the pictures, and the list of them that ffmpeg reads; it blocks."""
    lines = ["ffconcat version 1.0"]
    for number, picture in enumerate(pictures):
        name = f"{number:06}.jpg"
        (folder / name).write_bytes(picture.data)
        lines += (f"file {name}", f"duration {picture.seconds:.3f}")
    lines.append(lines[-2])  # the last duration counts only if another picture follows
    (folder / LIST).write_text("\n".join(lines))
