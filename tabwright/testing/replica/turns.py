"""The page of AI Mode and its turns: question, blocks, action bar, sources; and their stream."""

from collections.abc import Iterator, Mapping
from typing import Final
from urllib.parse import urlsplit

import attrs
import msgspec
import trio

from tabwright.protocol.blocks import Block, Paragraph
from tabwright.testing.replica.answers import (
    Language,
    PageStrings,
    Truth,
    fill,
    parts,
    text_of,
    words,
)
from tabwright.testing.replica.markup import (
    Markup,
    dressed,
    echoes,
    rescripted,
    restyled,
    sealed,
    wrapped,
)
from tabwright.testing.replica.scenario import Clock, Scenario

_VISIBLE_CARDS = 3


@attrs.frozen
class ReplicaTurn:
    """One question of a conversation on its way to the page.

    Attributes:
        number: counted from 0.
        language: of the page.
        truth: what is answered.
        scenario: how.
        first: whether the page was loaded for it, with a place for it already there.
    """

    number: int
    language: Language
    truth: Truth
    scenario: Scenario
    first: bool = attrs.field(kw_only=True)

    @property
    def strings(self) -> PageStrings:
        """The words of the page."""
        return words(self.language).page

    @property
    def markup(self) -> Markup:
        """The writer of the blocks."""
        return Markup(self.strings, self.truth.sources, self.scenario.links)

    def whole(self) -> str:
        """Write the complete turn."""
        marked = "complete" not in self.scenario.drop_signals
        column = "".join(self.block(at, block) for at, block in enumerate(self.truth.blocks))
        shadow = self.scenario.shadow
        if shadow != "none":  # what belongs into a shadow root waits for the page in a template
            column = f'<div><template data-shadow="{shadow}">{column}</template></div>'
        return fill(
            "turn.html",
            self.strings,
            **_head(self.truth.question, self.strings),
            id_html="",
            loading_html="",
            complete_html=' data-complete="true"' if marked else "",
            main_html=column + self.foot(),
            aside_html=self.aside(),
        )

    def block(self, at: int, block: Block) -> str:
        """Write a block in its final form; the page nests some paragraphs, here every odd one."""
        if at == 0 and isinstance(block, Paragraph):
            html = self.markup.opening(block)
        elif at % 2 and isinstance(block, Paragraph):
            html = self.markup.nested(block)
        else:
            html = self.markup.block(block)
        return html + (echoes(html, at) if self.scenario.noise else "")

    def foot(self) -> str:
        """Write the action bar, with the invisible feedback survey."""
        dropped = "action_bar" in self.scenario.drop_signals
        return "" if dropped else fill("foot.html", self.strings)

    def aside(self) -> str:
        """Write the source cards: three visible ones, and all of them in a hidden dialog."""
        cards: list[str] = []
        for number, source in enumerate(self.truth.sources, 1):
            icon = fill("icon.html", host=urlsplit(source.url).hostname or "")
            cards.append(
                fill(
                    "card.html",
                    self.strings,
                    id=f"{self.number}-{number}",
                    icon_html=icon if number % 2 else "",
                    href=wrapped(source.url, self.scenario.links),
                    label=f"{source.title}. {self.strings.new_tab}",
                    title=source.title,
                    snippet=source.snippet,
                    site=source.site,
                )
            )
        if not cards:
            return ""
        return fill(
            "aside.html",
            self.strings,
            count=self.strings.site_count.format(count=len(cards)),
            visible_html="".join(cards[:_VISIBLE_CARDS]),
            all_html="".join(cards),
        )

    def notice(self) -> str:
        """Write the sentence that replaces an answer."""
        return fill("notice.html", text=self.scenario.apology or self.strings.no_answer)


def empty_turn(question: str, strings: PageStrings, *, first: bool) -> str:
    """Write the empty container of a turn."""
    return fill(
        "turn.html",
        strings,
        **_head(question, strings),
        id_html='id="aim-chrome-initial-inline-async-container" ' if first else "",
        loading_html=fill("loading.html", strings),
        complete_html="",
        main_html="",
        aside_html="",
    )


def _head(question: str, strings: PageStrings) -> dict[str, str]:
    return {
        "question": question,
        "copy_question": strings.copy_question.format(question=question),
        "edit_question": strings.edit_question.format(question=question),
        "token": sealed(question)[:12],
    }


# Conversations, as the server remembers them.


@attrs.define
class ReplicaThread:
    """The conversation of one page.

    Attributes:
        path: where the page was loaded from; empty where that was not seen.
        turns: oldest first.
        reloading: whether the page was told to load itself again.
    """

    path: str = ""
    turns: list[ReplicaTurn] = attrs.field(factory=list[ReplicaTurn])
    reloading: bool = False


class Threads:
    """All conversations by the tokens of their pages; they outlive scenarios."""

    def __init__(self) -> None:
        self._by_token: dict[str, ReplicaThread] = {}

    def load(self, path: str) -> tuple[str, ReplicaThread]:
        """Return a token and a thread for a loaded page: a new thread unless it reloads."""
        for thread in self._by_token.values():
            if thread.reloading and thread.path == path:
                thread.reloading = False
                break
        else:
            thread = ReplicaThread(path)
        token = sealed(f"{len(self._by_token)} tokens")
        self._by_token[token] = thread
        return token, thread

    def find(self, token: str) -> ReplicaThread:
        """Return the thread of a token, a new one for an unknown token."""
        return self._by_token.setdefault(token, ReplicaThread())


# The page as it is loaded: everything around the thread.

_SCRIPTS: Final = ("shadows.js", "stream.js", "turn.js", "composer.js", "thread.js")


@attrs.frozen
class Shell:
    """A page for a thread.

    Attributes:
        question: of the page's URL; empty on the start page.
        language: of the page.
        scenario: what it is played in.
        thread: the turns that are there already.
        token: what the page names its thread by.
    """

    question: str
    language: Language
    scenario: Scenario
    thread: ReplicaThread
    token: str

    @property
    def _strings(self) -> PageStrings:
        return words(self.language).page

    def html(self) -> str:
        """Write the page."""
        script = "\n".join(map(text_of, _SCRIPTS))
        is_asked = self.question and not self.scenario.ignored
        content = empty_turn(self.question, self._strings, first=True) if is_asked else ""
        if self.scenario.unavailable:
            content = fill("notice.html", text=self._strings.unavailable)
        elif self.thread.turns:
            turns = [turn.whole() for turn in self.thread.turns]
            content = "".join(turns if self.scenario.newest == "last" else reversed(turns))
        page = fill(
            "shell.html",
            self._strings,
            language=self.language,
            title=f"{self.question} - Google Search",
            question=self.question,
            page_name=self._strings.conversation.format(question=self.question),
            token=self.token,
            css_html=self._css(),
            content_html=content,
            composer_html=self._composer(),
            extras_html=text_of("extras.html"),
            script_html=rescripted(script, self.scenario.classes),
        )
        return dressed(page, self.scenario)

    def _css(self) -> str:
        return restyled(text_of("page.css"), self.scenario.classes)

    def _composer(self) -> str:
        match "missing" if self.scenario.unavailable else self.scenario.composer:
            case "shown":
                return fill("composer.html", self._strings)
            case "missing":
                return ""
            case "closed_root":
                plate = fill("composer.html", self._strings)
                style = f"<style>{self._css()}</style>"
                return f'<template data-shadow="closed">{style}{plate}</template>'


# The answer stream: ``)]}'`` and a line feed, then frames of ``<length>;<JSON>``. The length counts
# the bytes of the JSON and is hexadecimal. Frames carry pieces of HTML and where they go; which
# block is what, only the truth knows.

GUARD = b")]}'\n"


@attrs.frozen
class StreamFrame:
    """A step of the stream.

    Attributes:
        content: ``kind`` names what the page does with the rest.
        delay_s: how long the stream waits before it.
    """

    content: Mapping[str, object]
    delay_s: float = 0.0

    def encode(self) -> bytes:
        """Encode the frame."""
        data = msgspec.json.encode(self.content)
        return b"%x;%s" % (len(data), data)


def frames(turn: ReplicaTurn) -> Iterator[StreamFrame]:
    """Play a turn from its start to its end."""
    place = "" if turn.first else empty_turn(turn.truth.question, turn.strings, first=False)
    yield _piece(
        turn,
        "begin",
        place,
        shadow=turn.scenario.shadow,
        stoppable="stop_button" not in turn.scenario.drop_signals,
        hush=turn.scenario.live_region == "refilled",
        newest=turn.scenario.newest,
    )
    if turn.scenario.error:
        yield _piece(turn, "error", turn.notice())
    elif turn.scenario.apology:
        yield _piece(turn, "error", turn.notice())
        yield _frame(turn, "done", complete=True, say=turn.strings.ready)
    elif turn.scenario.empty:
        yield _frame(turn, "done", complete=False, say="")
    else:
        for at, block in enumerate(turn.truth.blocks):
            growing = attrs.evolve(turn.markup, animated=True)
            wait_s = _stall_s(turn, at)
            for part in parts(block):
                yield _piece(turn, "partial", growing.block(part), wait_s=wait_s, at=at)
                wait_s = 0.0
            yield _piece(turn, "block", turn.block(at, block), wait_s=wait_s, at=at)
        if foot := turn.foot():
            yield _piece(turn, "foot", foot, wait_s=_stall_s(turn, len(turn.truth.blocks)))
        if aside := turn.aside():
            yield _piece(turn, "aside", aside, wait_s=turn.scenario.late_s)
        dropped = turn.scenario.drop_signals
        marked = turn.scenario.attributes == "full" and "complete" not in dropped
        say = "" if "live_region" in dropped else turn.strings.ready
        yield _frame(turn, "done", complete=marked, say=say)


def _stall_s(turn: ReplicaTurn, at: int) -> float:
    return turn.scenario.stall_s if turn.scenario.stall_at == at else 0.0


def _piece(
    turn: ReplicaTurn, kind: str, html: str, *, wait_s: float = 0.0, **rest: object
) -> StreamFrame:
    return _frame(turn, kind, wait_s=wait_s, html=dressed(html, turn.scenario), **rest)


def _frame(turn: ReplicaTurn, kind: str, *, wait_s: float = 0.0, **content: object) -> StreamFrame:
    return StreamFrame({"kind": kind, **content}, turn.scenario.step_s + wait_s)


# When each frame of the answer stream is due.


class StreamPace:
    """The clock of all streams of a scenario: it runs, or advances step by step."""

    def __init__(self, clock: Clock) -> None:
        self._stepped = clock == "stepped"
        self._steps = trio.Semaphore(0)

    def step(self, frames: int) -> None:
        """Release the next frames, those that wait longest first; others need not wait then."""
        for _ in range(frames):
            self._steps.release()

    async def due(self, frame: StreamFrame) -> None:
        """Wait until a frame can be sent."""
        if self._stepped:
            await self._steps.acquire()
        else:
            await trio.sleep(frame.delay_s)
