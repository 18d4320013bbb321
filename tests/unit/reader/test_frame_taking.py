"""Frames of videos, taken by a fake ffmpeg and by the real one."""

import subprocess
import sys
import tempfile
from io import BytesIO
from pathlib import Path

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from imageio_ffmpeg import get_ffmpeg_exe
from PIL import Image

from tabwright.reader.video import CONTAINERS, PRINTED_BYTES_MAX, Ffmpeg, installed_ffmpeg, moments

SAYING = """
import json, pathlib, sys
arguments = sys.argv[1:]
with open({log!r}, "a") as log:
    log.write(json.dumps(arguments) + "\\n")
video = pathlib.Path(arguments[arguments.index("-i") + 1].removeprefix("file:"))
"""
WHOLE = """
if arguments[-1] == "pipe:1":
    sys.stdout.write(f"{video.read_text()} at {arguments[arguments.index('-ss') + 1]}")
else:
    print("  Metadata:\\n    title: Duration: 00:00:01")
    print("  Duration: 00:01:40.00, start: 0")
"""
ENDLESS = """
import time
if arguments[-1] == "pipe:1":
    time.sleep(3600)
"""
FLOODING = f"""
sys.stdout.write("x" * {PRINTED_BYTES_MAX + 1})
"""


@pytest.fixture
def no_file_left(tmp_path, monkeypatch):
    """Redirect temporary files to a folder that must be empty at the end."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert list(folder.iterdir()) == []


@pytest.fixture
def program(tmp_path, no_file_left):
    """Return a function that makes a fake ffmpeg in Python and a log of its arguments."""
    log = tmp_path / "log"

    def make(script):
        path = tmp_path / "ffmpeg"
        path.write_text(f"#!{sys.executable}\n{SAYING.format(log=str(log))}{script}")
        path.chmod(0o755)
        return Ffmpeg(str(path)), log

    return make


async def test_frames_are_spread_evenly_over_the_video(program):
    take, _ = program(WHOLE)
    frames = await take(b"cats", 4)
    assert [frame.at_s for frame in frames] == [12.5, 37.5, 62.5, 87.5]
    assert [frame.data for frame in frames][:2] == [b"cats at 12.500", b"cats at 37.500"]


async def test_ffmpeg_is_restricted_to_one_local_file(program):
    take, log = program(WHOLE)
    await take(b"cats", 2)
    calls = log.read_text().splitlines()
    assert len(calls) == 3
    for call in calls:
        assert '"-protocol_whitelist", "file", "-format_whitelist"' in call
        assert '"-i", "file:' in call
    assert not {"hls", "dash", "concat"} & set(CONTAINERS.split(","))


async def test_endless_ffmpeg_is_killed_after_time_limit(program, monkeypatch):
    monkeypatch.setattr("tabwright.reader.video.TIME_S", 0.5)
    take, log = program(ENDLESS)
    with trio.fail_after(30):
        assert await take(b"cats", 3) == []
    begun = log.read_text() if log.exists() else ""  # a busy machine is slower than the limit
    assert begun.count("\n") <= 2


async def test_cancelled_frame_extraction_leaves_no_process_behind(program):
    take, log = program(ENDLESS)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(take, b"cats", 3)
            while not log.exists() or log.read_text().count("\n") < 2:
                await trio.sleep(0.02)
            nursery.cancel_scope.cancel()


async def test_output_of_a_flooding_program_is_discarded(program):
    take, _ = program(FLOODING)
    assert await take(b"cats", 3) == []


async def test_missing_ffmpeg_program_yields_no_frames(tmp_path, no_file_left):
    assert await Ffmpeg(str(tmp_path / "none"))(b"cats", 3) == []


def test_ffmpeg_is_found_on_path(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert installed_ffmpeg() is None
    here = tmp_path / "ffmpeg"
    here.write_text("")
    here.chmod(0o755)
    assert installed_ffmpeg() == Ffmpeg(str(here))


@given(st.floats(0, 1e6), st.integers(1, 20))
def test_frame_times_are_ordered_and_within_the_video(length_s, count):
    found = moments(length_s, count)
    assert len(found) == (count if length_s else 1)
    assert list(found) == sorted(found)
    assert all(0 <= moment <= length_s for moment in found)


def test_frame_times_at_interval_start_at_zero_and_stay_within_the_video():
    assert moments(25.0, 5, 10.0) == (0.0, 10.0, 20.0)
    assert moments(100.0, 2, 10.0) == (0.0, 10.0)
    assert moments(0.0, 5, 10.0) == (0.0,)


# With the real program.

FFMPEG = get_ffmpeg_exe()


def video(path: Path, codec: str) -> bytes:
    """Return a video of two seconds that becomes brighter."""
    source = "color=black:size=320x180:rate=10:duration=2,geq=lum='T*100':cb=128:cr=128"
    quiet = ["-hide_banner", "-loglevel", "error", "-f", "lavfi"]
    subprocess.run([FFMPEG, *quiet, "-i", source, "-c:v", codec, path], check=True)
    return path.read_bytes()


@pytest.mark.ffmpeg
@pytest.mark.parametrize(("name", "codec"), [("v.mp4", "mpeg4"), ("v.webm", "libvpx")])
async def test_ffmpeg_frames_are_in_video_order(name, codec, tmp_path, no_file_left):
    frames = await Ffmpeg(FFMPEG)(video(tmp_path / name, codec), 3)
    brightness = []
    for frame in frames:
        with Image.open(BytesIO(frame.data)) as picture:
            assert picture.size == (320, 180)
            brightness.append(picture.convert("L").getpixel((5, 5)))
    assert len(brightness) == 3
    assert brightness == sorted(set(brightness))


@pytest.mark.ffmpeg
@pytest.mark.parametrize(
    "hostile",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:9\n#EXTINF:9,\nfile:{path}\n#EXT-X-ENDLIST\n",
        "ffconcat version 1.0\nfile {path}\n",
        "<html><body>Not found</body></html>",
        "",
    ],
)
async def test_ffmpeg_does_not_open_files_named_by_hostile_video(hostile, tmp_path, no_file_left):
    path = tmp_path / "secret.mp4"
    video(path, "mpeg4")
    assert await Ffmpeg(FFMPEG)(hostile.format(path=path).encode(), 3) == []
