"""Frames of videos on pages, through the client, with a fake in place of ffmpeg."""

from io import BytesIO

import attrs
from PIL import Image

from tabwright.reader.video import NO_PICTURE, NO_PROGRAM, VideoFrame, VideoFrames
from tabwright.testing.fake import FakePage, FakeSite

PAGE, FILM, GONE = (f"https://site.example/{name}" for name in ("page", "film.mp4", "gone.mp4"))
WORDS = "Every task has a parent that waits for it. " * 30


def page(body):
    return FakePage(f"<html><body><p>{WORDS}</p>{body}</body></html>")


def site(body):
    return FakeSite(
        pages={PAGE: page(body), FILM: FakePage("a film", mime_type="video/mp4")},
    )


def picture():
    written = BytesIO()
    Image.new("RGB", (1280, 720), "red").save(written, "PNG")
    return written.getvalue()


@attrs.define
class Taker:
    """Takes the same pictures from every video, and one that is invalid.

    Attributes:
        asked: the videos it was given, the number of pictures wanted, and their interval.
    """

    data: bytes = attrs.field(factory=picture)
    asked: list[tuple[bytes, int, float | None]] = attrs.field(factory=list)

    async def __call__(self, video, count, interval_s):
        self.asked.append((video, count, interval_s))
        return [
            VideoFrame(7.4, self.data),
            VideoFrame(75.0, self.data),
            VideoFrame(80.0, b"no picture"),
        ]


def frames_of(tabwright, read, taker):
    return attrs.evolve(tabwright.parts.video_reader, take=taker).frames(read)


async def test_frames_of_first_available_video_are_downscaled(open_client, autojump_clock):
    taker = Taker()
    videos = f"<video src={GONE}></video><video src={FILM} title='A film'></video>"
    async with open_client(
        site(videos), reading__video_frames=3, reading__video_interval_s=7.5
    ) as world:
        read = await world.tabwright.read(PAGE)
        frames = await frames_of(world.tabwright, read, taker)
    assert taker.asked == [(b"a film", 3, 7.5)]
    assert [(one.number, one.alt, one.width) for one in frames.pictures] == [
        (2, "A film (at 0:07)", 640),
        (2, "A film (at 1:15)", 640),
    ]
    assert frames.notice == ""


async def test_unavailable_video_frames_are_explained_by_notice(open_client, autojump_clock):
    async with open_client(site(f"<video src={FILM}></video>")) as world:
        read = await world.tabwright.read(PAGE)
        assert (await frames_of(world.tabwright, read, None)).notice == NO_PROGRAM
        assert (await frames_of(world.tabwright, read, Taker(b"none"))).notice == NO_PICTURE
        assert (await world.tabwright.frames(read)).notice == NO_PICTURE


async def test_page_without_videos_has_no_frames(open_client, autojump_clock):
    async with open_client(site("")) as world:
        read = await world.tabwright.read(PAGE)
        assert await frames_of(world.tabwright, read, None) == VideoFrames()


async def test_no_video_frames_are_taken_when_disabled(open_client, autojump_clock):
    taker = Taker()
    video = site(f"<video src={FILM}></video>")
    async with open_client(video, reading__video_frames=0) as world:
        read = await world.tabwright.read(PAGE)
        assert await frames_of(world.tabwright, read, taker) == VideoFrames()
    assert taker.asked == []
