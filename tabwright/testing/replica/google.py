"""The Google hosts: the shell of AI Mode and its answer stream, behind the gates."""

from itertools import count
from urllib.parse import urlencode

from tabwright.testing.replica.broadcast import broadcast
from tabwright.testing.replica.gates import GATES, Gate, blocked, obstacle
from tabwright.testing.replica.languages import language_of
from tabwright.testing.replica.play import Play
from tabwright.testing.replica.results import result_page
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange, Response, html
from tabwright.testing.replica.shell import Shell
from tabwright.testing.replica.threads import Threads
from tabwright.testing.replica.visit import ORIGIN, Visit, cookie

HOSTS = frozenset({"www.google.com", "google.com", "consent.google.com"})

_AI_MODE = "50"
_BROWSER = "NID"
_PATH_CHARACTERS_MAX = 8192


class Google:
    """Plays www.google.com and consent.google.com.

    Attributes:
        play: what is played; it may be replaced between requests.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.play = Play(scenario)
        self._threads = Threads()
        self._browsers = count()

    async def answer(self, exchange: Exchange) -> None:
        """Answers a request to one of the hosts; 404 where there is nothing."""
        path, visit = exchange.path, self._visit(exchange)
        if path in {"/async/folwr", "/async/folif"}:
            await self._stream(visit)
        elif gate := GATES.get(path):
            await exchange.answer(_passed(gate, visit))
        else:
            await exchange.answer(self._page(visit))

    def _visit(self, exchange: Exchange) -> Visit:
        scenario = self.play.scenario
        language = language_of(exchange.query.get("hl", ""), scenario.language)
        served = self.play.served[exchange.cookies.get(_BROWSER, "")]
        return Visit(exchange, scenario, language, served)

    def _page(self, visit: Visit) -> Response:
        exchange = visit.exchange
        if exchange.path not in {"/search", "/aimode"}:
            return html("<h1>404</h1>", status=404)
        if len(exchange.seen.path) > _PATH_CHARACTERS_MAX:
            return html("<h1>400</h1>", status=400)
        if (gate := obstacle(visit)) is not None:
            return gate
        if exchange.path == "/search" and exchange.query.get("udm") != _AI_MODE:
            return html(result_page(visit.question, visit.language, visit.scenario))
        return self._shell(visit)

    def _shell(self, visit: Visit) -> Response:
        exchange = visit.exchange
        token, thread = self._threads.load(exchange.seen.path)
        if visit.question and not thread.turns:
            self.play.catch_up(thread, visit.question, visit.language)
        page = Shell(visit.question, visit.language, visit.scenario, thread, token).html()
        known = _BROWSER in exchange.cookies
        return html(page, cookie="" if known else cookie(_BROWSER, str(next(self._browsers))))

    async def _stream(self, visit: Visit) -> None:
        """Plays the next turn, unless a block has begun since the page was loaded."""
        exchange = visit.exchange
        asked = urlencode({"udm": _AI_MODE, "q": visit.question, "hl": visit.language})
        block = blocked(visit, f"{ORIGIN}/search?{asked}")
        if block is not None:
            await exchange.answer(block)
            return
        thread = self._threads.find(exchange.query.get("ei", ""))
        first = exchange.path == "/async/folwr"
        self.play.answer(thread, visit.question, visit.language, first=first)
        self.play.served[exchange.cookies.get(_BROWSER, "")] += 1
        await broadcast(exchange, thread, self.play.pace)


def _passed(gate: Gate, visit: Visit) -> Response:
    try:
        return gate(visit)
    except (LookupError, ValueError):  # a parameter that no page of ours sends
        return html("<h1>400</h1>", status=400)
