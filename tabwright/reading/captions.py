"""Captions as text: what is said in a video or a sound, in paragraphs (WebVTT; SubRip).

Times and places are left out. Captions that roll up say a line again in the next cue; once will do.
"""

import html
import re
from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice

import attrs

from tabwright.content.charset import decoded
from tabwright.protocol.blocks import Blocks, Heading, Paragraph, Text
from tabwright.protocol.fetch import Fetched
from tabwright.protocol.snapshot import Medium, PageSnapshot
from tabwright.reading.telling import told
from tabwright.text.lines import collapsed

WEBVTT = "text/vtt"
SUBRIP = "application/x-subrip"

KINDS = frozenset({WEBVTT, SUBRIP, "application/srt", "text/srt", "text/plain"})
"""What servers call them; whether they are any is seen at their beginning."""

CUES_MAX = 50_000

PARAGRAPH_CHARACTERS = 500
"""From there on a paragraph ends with a sentence; at three times as many, in any case."""

HEADING_LEVEL = 2

_WEBVTT = re.compile(rb"(?:\xef\xbb\xbf)?WEBVTT[ \t\r\n]")
_SUBRIP = re.compile(
    rb"(?:\xef\xbb\xbf)?\s{0,99}\d{1,9}[ \t]{0,9}\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> "
)
_TIMING = re.compile(r"[ \t]{0,99}(?:\d{2,9}:)?\d\d:\d\d[.,]\d{3}[ \t]{1,99}-->[ \t]")
_VOICE = re.compile(r"<v(?:\.[^\s<>]*)?[ \t]([^<>]*)>")
_MARKUP = re.compile(r"<[^<>]*>|\{\\[^{}]*\}")
_SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f][\"')\u201d\u2019\u300d]?$")


def is_captions(kind: str, body: bytes) -> bool:
    """Whether a file of this kind holds captions."""
    return kind in KINDS and (_WEBVTT.match(body) or _SUBRIP.match(body)) is not None


def captions_snapshot(fetched: Fetched) -> PageSnapshot:
    """What captions say, the first `CUES_MAX` of them."""
    kind = WEBVTT if _WEBVTT.match(fetched.body) else SUBRIP
    text, charset = decoded(fetched.body, "utf-8" if kind == WEBVTT else fetched.charset)
    return told(fetched, kind, tuple(_spoken_paragraphs(_spoken(text.splitlines()))), charset)


def transcript(medium: Medium, said: Blocks) -> Blocks:
    """What is said in a medium, under its name."""
    name = medium.title or medium.alt or medium.url.rpartition("/")[2]
    return (Heading(HEADING_LEVEL, (Text(f"Transcript: {name}" if name else "Transcript"),)), *said)


@attrs.frozen
class _Spoken:
    speaker: str
    text: str


def _spoken(lines: Iterable[str]) -> Iterator[_Spoken]:
    before = frozenset[str]()
    for cue in islice(_cues(lines), CUES_MAX):
        spoken = tuple(_voiced(cue))
        yield from (one for one in spoken if one.text and one.text not in before)
        before = frozenset(one.text for one in spoken)


def _voiced(cue: Iterable[str]) -> Iterator[_Spoken]:
    speaker = ""
    for line in cue:
        if voice := _VOICE.search(line):
            speaker = collapsed(html.unescape(voice[1]))
        yield _Spoken(speaker, collapsed(html.unescape(_MARKUP.sub("", line))))


def _cues(lines: Iterable[str]) -> Iterator[list[str]]:
    """The lines of each cue: those below its times, up to an empty one."""
    cue: list[str] | None = None
    for line in chain(lines, ("",)):
        if _TIMING.match(line) or not line.strip():
            if cue:
                yield cue
            cue = [] if line.strip() else None
        elif cue is not None:
            cue.append(line)


def _spoken_paragraphs(spoken: Iterable[_Spoken]) -> Iterator[Paragraph]:
    for speaker, lines in groupby(spoken, key=lambda line: line.speaker):
        named = (Text(f"{speaker}:", bold=True), Text(" ")) if speaker else ()
        for text in _passages(line.text for line in lines):
            yield Paragraph((*named, Text(text)))


def _passages(lines: Iterable[str]) -> Iterator[str]:
    passage: list[str] = []
    length = 0
    for line in lines:
        passage.append(line)
        length += len(line)
        ends = length >= PARAGRAPH_CHARACTERS and _SENTENCE_END.search(line)
        if ends or length >= 3 * PARAGRAPH_CHARACTERS:
            yield " ".join(passage)
            passage, length = [], 0
    if passage:
        yield " ".join(passage)
