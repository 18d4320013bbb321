"""The page of AI Mode and its turns: question, blocks, action bar, column of sources."""

from typing import Final
from urllib.parse import urlsplit

import attrs

from tabwright.protocol.ai_search import SearchSource
from tabwright.protocol.blocks import Block, Paragraph
from tabwright.testing.replica.answers import Truth
from tabwright.testing.replica.languages import Language, PageStrings, fill, text_of, words
from tabwright.testing.replica.markup import Markup, sealed, wrapped
from tabwright.testing.replica.markup_drift import dressed, echoes, rescripted, restyled
from tabwright.testing.replica.scenario import Scenario

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
        """The hand that writes the blocks."""
        return Markup(self.strings, self.truth.sources, self.scenario.links)

    def whole(self) -> str:
        """Writes the turn as it stands when all of it is there."""
        marked = "complete" not in self.scenario.drop_signals
        return fill(
            "turn.html",
            self.strings,
            **_head(self.truth.question, self.strings),
            id_html="",
            loading_html="",
            complete_html=' data-complete="true"' if marked else "",
            main_html=self._column() + self.foot(),
            aside_html=self.aside(),
        )

    def _column(self) -> str:
        """Writes all blocks; what belongs into a shadow root waits for the page in a template."""
        blocks = "".join(self.block(at, block) for at, block in enumerate(self.truth.blocks))
        shadow = self.scenario.shadow
        if shadow == "none":
            return blocks
        return f'<div><template data-shadow="{shadow}">{blocks}</template></div>'

    def block(self, at: int, block: Block) -> str:
        """Writes a block as it stays; the page nests some of its paragraphs, here every odd one."""
        if at == 0 and isinstance(block, Paragraph):
            html = self.markup.opening(block)
        elif at % 2 and isinstance(block, Paragraph):
            html = self.markup.nested(block)
        else:
            html = self.markup.block(block)
        return html + (echoes(html, at) if self.scenario.noise else "")

    def foot(self) -> str:
        """Writes the action bar, with the feedback survey that nobody sees."""
        dropped = "action_bar" in self.scenario.drop_signals
        return "" if dropped else fill("foot.html", self.strings)

    def aside(self) -> str:
        """Writes the source cards: three in sight, all of them in a hidden dialog."""
        cards = [self._card(number, source) for number, source in enumerate(self.truth.sources, 1)]
        if not cards:
            return ""
        return fill(
            "aside.html",
            self.strings,
            count=self.strings.site_count.format(count=len(cards)),
            visible_html="".join(cards[:_VISIBLE_CARDS]),
            all_html="".join(cards),
        )

    def _card(self, number: int, source: SearchSource) -> str:
        """Writes a source; every other site has a picture of its own."""
        icon = fill("icon.html", host=urlsplit(source.url).hostname or "")
        return fill(
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

    def notice(self) -> str:
        """Writes the sentence that stands in place of an answer."""
        return fill("notice.html", text=self.strings.no_answer)


def empty_turn(question: str, strings: PageStrings, *, first: bool) -> str:
    """Writes the place of a turn before anything of its answer is there."""
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
    """All conversations, each under the tokens that its page was given; they outlive scenarios."""

    def __init__(self) -> None:
        self._by_token: dict[str, ReplicaThread] = {}

    def load(self, path: str) -> tuple[str, ReplicaThread]:
        """Gives a page that is loaded a token, and its thread: a new one unless it reloads."""
        thread = self._reloaded(path) or ReplicaThread(path)
        token = sealed(f"{len(self._by_token)} tokens")
        self._by_token[token] = thread
        return token, thread

    def _reloaded(self, path: str) -> ReplicaThread | None:
        for thread in self._by_token.values():
            if thread.reloading and thread.path == path:
                thread.reloading = False
                return thread
        return None

    def find(self, token: str) -> ReplicaThread:
        """Gives the thread of a token, a new one for a token that was never given."""
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
        """Writes the page."""
        script = "\n".join(map(text_of, _SCRIPTS))
        page = fill(
            "shell.html",
            self._strings,
            language=self.language,
            title=f"{self.question} - Google Search",
            question=self.question,
            page_name=self._strings.conversation.format(question=self.question),
            token=self.token,
            css_html=self._css(),
            content_html=self._content(),
            composer_html=self._composer(),
            extras_html=text_of("extras.html"),
            script_html=rescripted(script, self.scenario.classes),
        )
        return dressed(page, self.scenario)

    def _css(self) -> str:
        return restyled(text_of("page.css"), self.scenario.classes)

    def _content(self) -> str:
        if self.scenario.unavailable:
            return fill("notice.html", text=self._strings.unavailable)
        if self.thread.turns:
            return "".join(turn.whole() for turn in self.thread.turns)
        return empty_turn(self.question, self._strings, first=True) if self.question else ""

    def _composer(self) -> str:
        match self.scenario.composer:
            case "shown":
                return fill("composer.html", self._strings)
            case "missing":
                return ""
            case "closed_root":
                plate = fill("composer.html", self._strings)
                style = f"<style>{self._css()}</style>"
                return f'<template data-shadow="closed">{style}{plate}</template>'
