"""The Google hosts: the shell of AI Mode and its answer stream, behind the gates."""

from urllib.parse import urlencode

import trio

from tabwright.testing.replica.answers import Truth, truth_of
from tabwright.testing.replica.disguise import commented, renamed, restyled
from tabwright.testing.replica.gates import GATES, ORIGIN, Gate, blocked, obstacle
from tabwright.testing.replica.languages import Language, language_of, words
from tabwright.testing.replica.links import sealed
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange, Response, html
from tabwright.testing.replica.stream import GUARD, frames
from tabwright.testing.replica.templates import fill, text_of
from tabwright.testing.replica.turns import Turn, empty_turn

HOSTS = frozenset({"www.google.com", "google.com", "consent.google.com"})

_AI_MODE = "50"
_PATH_CHARACTERS_MAX = 8192


class Google:
    """Plays www.google.com and consent.google.com.

    Attributes:
        truths: of every turn since the scenario was set, oldest first.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.truths: list[Truth] = []
        self._scenario = scenario

    @property
    def scenario(self) -> Scenario:
        """What is played; setting it forgets the turns so far."""
        return self._scenario

    @scenario.setter
    def scenario(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self.truths.clear()

    async def answer(self, exchange: Exchange) -> None:
        """Answers a request to one of the hosts; 404 where there is nothing."""
        path, language = exchange.path, self._language(exchange)
        if path in {"/async/folwr", "/async/folif"}:
            await self._stream(exchange, language)
        elif gate := GATES.get(path):
            await exchange.answer(_passed(gate, exchange, language))
        else:
            await exchange.answer(self._page(exchange, language))

    def _language(self, exchange: Exchange) -> Language:
        return language_of(exchange.query.get("hl", ""), self._scenario.language)

    def _page(self, exchange: Exchange, language: Language) -> Response:
        asked = exchange.query.get("udm") == _AI_MODE and exchange.path == "/search"
        if not asked and exchange.path != "/aimode":
            return html("<h1>404</h1>", status=404)
        if len(exchange.seen.path) > _PATH_CHARACTERS_MAX:
            return html("<h1>400</h1>", status=400)
        gate = obstacle(exchange, self._scenario, language)
        return gate or html(self._shell(exchange.query.get("q", ""), language))

    def _shell(self, question: str, language: Language) -> str:
        strings, classes = words(language).page, self._scenario.classes
        shell = fill(
            "shell.html",
            strings,
            language=language,
            title=f"{question} - Google Search",
            question=question,
            page_name=strings.conversation.format(question=question),
            token=sealed(f"{len(self.truths)} tokens"),
            css_html=restyled(text_of("page.css"), classes),
            content_html=self._content(question, language),
            script_html=text_of("thread.js"),
        )
        return renamed(shell, classes)

    def _content(self, question: str, language: Language) -> str:
        if self._scenario.unavailable:
            return fill("notice.html", text=words(language).page.unavailable)
        if not question:
            return ""
        turn = empty_turn(question, words(language).page, first=True)
        return commented(turn) if self._scenario.noise else turn

    async def _stream(self, exchange: Exchange, language: Language) -> None:
        """Plays the next turn, unless a block has begun since the page was loaded."""
        asked = urlencode({"udm": _AI_MODE, "q": exchange.query.get("q", ""), "hl": language})
        block = blocked(exchange, self._scenario, f"{ORIGIN}/search?{asked}")
        if block is not None:
            await exchange.answer(block)
            return
        await exchange.begin(200, (("Content-Type", "application/json; charset=utf-8"),))
        await exchange.send(GUARD)
        await self._play(exchange, self._turn(exchange, language))

    def _turn(self, exchange: Exchange, language: Language) -> Turn:
        number, question = len(self.truths), exchange.query.get("q", "")
        truth = truth_of(language, number, question, self._scenario.source_count)
        self.truths.append(truth)
        first = exchange.path == "/async/folwr"
        return Turn(number, language, truth, self._scenario, first=first)

    async def _play(self, exchange: Exchange, turn: Turn) -> None:
        for number, frame in enumerate(frames(turn)):
            if number == turn.scenario.cut_at:
                await exchange.hang_up()
                return
            await trio.sleep(frame.delay_s)
            await exchange.send(frame.encode())
        if "stream_end" in turn.scenario.drop_signals:
            await trio.sleep_forever()
        await exchange.end()


def _passed(gate: Gate, exchange: Exchange, language: Language) -> Response:
    try:
        return gate(exchange, language)
    except (LookupError, ValueError):  # a parameter that no page of ours sends
        return html("<h1>400</h1>", status=400)
