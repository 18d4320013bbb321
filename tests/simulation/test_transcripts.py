"""Transcripts of the videos on a page, on the fake web."""

import pytest

from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.page_text import RenderOptions
from tabwright.reader.video import PATIENCE_S
from tabwright.testing.fake import FakePage, FakeSite

WORDS = "Every task has a parent that waits for it. "
CAPTIONS = f"WEBVTT\n\n00:01.000 --> 00:02.000\n<v Ann>{WORDS}\n"
SPOKEN = f"**Ann:** {WORDS.strip()}"
WITH = ReadOptions(transcripts=True)
SUBTITLED = "https://video.example/"


def page(*tracks):
    videos = "".join(
        f"<video title='Talk {number}' src=/{number}.mp4><track src='{track}'></video>"
        for number, track in enumerate(tracks, 1)
    )
    return FakePage(f"<html><head><title>T</title></head><body><p>{WORDS * 30}</p>{videos}</body>")


def site(*tracks, **files):
    captions = {"said": FakePage(CAPTIONS, mime_type="text/vtt")}
    pages = {f"{SUBTITLED}{name}": one for name, one in {**captions, **files}.items()}
    return FakeSite(pages={SUBTITLED: page(*tracks), **pages})


async def test_transcript_is_appended_to_page_text(open_client, autojump_clock):
    async with open_client(site("/said")) as world:
        read = await world.tabwright.read(SUBTITLED, WITH)
        assert read.text.endswith(f"## Transcript: Talk 1\n\n{SPOKEN}")
        short = await world.tabwright.read(
            SUBTITLED, ReadOptions(transcripts=True, view=RenderOptions(max_tokens=300))
        )
        assert "- Transcript: Talk 1 (offset=" in short.text


async def test_transcript_is_fetched_only_on_request(open_client, autojump_clock):
    web = site("/said")
    async with open_client(web) as world:
        assert "Transcript" not in (await world.tabwright.read(SUBTITLED)).text
    assert [url for _, url in web.visits] == [SUBTITLED]


async def test_session_reading_repeats_the_transcript(open_client, autojump_clock):
    async with open_client(site("/said")) as world:
        await world.tabwright.read(SUBTITLED, WITH, session="s")
        assert SPOKEN in (await world.tabwright.read(SUBTITLED, WITH, session="s")).text


@pytest.mark.parametrize(
    "captions",
    [
        FakePage("", error="net::ERR_CONNECTION_RESET"),
        FakePage(CAPTIONS, mime_type="text/vtt", status=404),
        FakePage("<p>No captions here.", mime_type="text/html"),
        FakePage(CAPTIONS, mime_type="text/vtt", load_s=2 * PATIENCE_S),
    ],
    ids=["broken", "gone", "a page", "late"],
)
async def test_unavailable_captions_are_listed_by_url(open_client, autojump_clock, captions):
    async with open_client(site("/said", "/lost", lost=captions)) as world:
        read = await world.tabwright.read(SUBTITLED, WITH)
        assert SPOKEN in read.text
        assert "Talk 2" not in read.text
        assert read.media[-1].captions == (f"{SUBTITLED}lost",)
