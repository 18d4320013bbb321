"""The page of AI Mode as it is loaded: everything around the thread, and what it shows of that."""

from typing import Final

import attrs

from tabwright.testing.replica.languages import Language, PageStrings, words
from tabwright.testing.replica.markup_drift import dressed, rescripted, restyled
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.templates import fill, text_of
from tabwright.testing.replica.threads import Thread
from tabwright.testing.replica.turns import empty_turn

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
    thread: Thread
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
