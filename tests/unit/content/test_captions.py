"""Captions as text, including malformed and hostile files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.content.documents import PARAGRAPH_CHARACTERS, is_captions, transcript
from tabwright.content.extract import extract_snapshot
from tabwright.content.render.markdown import markdown_of, text_of
from tabwright.protocol.blocks import Code
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import LoadedPage, MediaItem, Selection

VTT = """WEBVTT - A talk

STYLE
::cue { color: red }

NOTE nobody says this

intro
00:01.000 --> 00:04.000 align:start position:0%
<v Ann>Every <b>task</b> has
<00:00:02.000><c.loud>a parent</c> &amp; a name.

00:00:05.000 --> 00:00:06.000
<v Bob Lee>Really?

00:00:06.500 --> 00:00:07.000
<v Bob Lee>So it is.
"""
SRT = """1
00:00:01,000 --> 00:00:04,000
{\\an8}Jede <i>Aufgabe</i>
hat einen Grund.

2
00:00:05,000 --> 00:00:06,000
Wirklich?
"""


def snapshot(text, media_type="text/vtt", url="https://a.example/talk.vtt", charset=""):
    data = text if isinstance(text, bytes) else text.encode()
    fetched = Fetched(LoadedPage(url, 200, media_type), data, charset)
    return extract_snapshot(fetched, Selection(), 1).snapshot


def cues(*texts):
    times = "00:00:01.000 --> 00:00:02.000"
    return "WEBVTT\n\n" + "".join(f"{times}\n{text}\n\n" for text in texts)


def test_webvtt_text_is_grouped_by_speaker():
    page = snapshot(VTT)
    assert page.media_type == "text/vtt"
    assert markdown_of(page.content) == (
        "**Ann:** Every task has a parent & a name.\n\n**Bob Lee:** Really? So it is."
    )


@pytest.mark.parametrize("media_type", ["application/x-subrip", "text/plain", ""])
def test_subrip_is_recognized_by_its_content(media_type):
    page = snapshot(SRT, media_type, "https://a.example/talk.srt")
    assert page.media_type == "application/x-subrip"
    assert text_of(page.content) == "Jede Aufgabe hat einen Grund. Wirklich?"


def test_subrip_uses_declared_charset_and_webvtt_always_utf8():
    old = SRT.replace("Grund", "Gr\u00fcnder").encode("cp1252")
    assert "Gr\u00fcnder" in text_of(snapshot(old, "text/srt", charset="windows-1252").content)
    new = cues("Gr\u00fcnder")
    assert text_of(snapshot(new, charset="windows-1252").content) == "Gr\u00fcnder"


def test_rolling_captions_show_each_line_once():
    rolling = cues("one", "one\ntwo", "two\nthree", "three", "one")
    assert text_of(snapshot(rolling).content) == "one two three one"


def test_long_captions_are_split_into_paragraphs_at_sentence_ends():
    page = snapshot(cues(*(f"This is sentence number {number}." for number in range(100))))
    paragraphs = text_of(page.content).split("\n\n")
    assert len(paragraphs) > 3
    assert all(paragraph.endswith(".") for paragraph in paragraphs)
    endless = snapshot(cues(*(f"word {number}" for number in range(1_000))))
    assert max(map(len, text_of(endless.content).split("\n\n"))) < 4 * PARAGRAPH_CHARACTERS


def test_fake_captions_are_not_parsed_as_captions():
    page = snapshot("<!doctype html><p>Not found")
    assert page.content == (Code("<!doctype html><p>Not found"),)
    assert not is_captions("text/html", VTT.encode())
    assert not is_captions("text/plain", b"WEBVTTish")


@pytest.mark.parametrize(
    ("medium", "heading"),
    [
        (MediaItem(1, "video", "https://a.example/v.mp4", alt="Alt", title="Title"), "Title"),
        (MediaItem(1, "video", "https://a.example/v.mp4", alt="Alt"), "Alt"),
        (MediaItem(1, "video", "https://a.example/v.mp4"), "v.mp4"),
    ],
)
def test_transcript_heading_names_its_medium(medium, heading):
    assert text_of(transcript(medium, ())) == f"Transcript: {heading}"


LINES = st.sampled_from(
    ["00:01.000 --> 00:02.000", "", "<v Ann>", "<v", "<", "x", "&lt;b&gt;", "{\\\\", "1", "-->"]
)


@given(st.lists(LINES))
def test_any_webvtt_file_is_read_without_its_markup(lines):
    page = snapshot("WEBVTT\n" + "\n".join(lines))
    assert page.media_type == "text/vtt"
    assert "<v Ann>" not in text_of(page.content)
