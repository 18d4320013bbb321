"""The Google hosts: AI Mode, its answer stream, and the consent and CAPTCHA pages before it."""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType
from typing import Final, Literal, TypeAlias
from urllib.parse import parse_qs, urlencode, urlsplit

import attrs
import trio

from tabwright.testing.replica.answers import (
    Language,
    Truth,
    fill,
    language_of,
    quoting,
    sources_of,
    text_of,
    truth_of,
    words,
)
from tabwright.testing.replica.markup import dressed, sealed, unsealed, wrapped
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange, ServerResponse, html, redirect
from tabwright.testing.replica.turns import (
    GUARD,
    ReplicaThread,
    ReplicaTurn,
    Shell,
    StreamFrame,
    StreamPace,
    Threads,
    frames,
)


class Play:
    """One scenario, from the moment it was set.

    Attributes:
        scenario: what is played.
        pace: when its frames are due.
        truths: of every turn, oldest first.
        served: how many answer streams each browser was given, by its cookie.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self.pace = StreamPace(scenario.clock)
        self.truths: list[Truth] = []
        self.served = Counter[str]()

    def catch_up(self, thread: ReplicaThread, question: str, language: Language) -> None:
        """Add the turns that a page shows once it is loaded, the last for the page's question."""
        earlier = [f"{question} ({number})" for number in range(1, self.scenario.thread)]
        for asked in [*earlier, question][: self.scenario.thread]:
            self.answer(thread, asked, language, first=False)

    def answer(
        self, thread: ReplicaThread, question: str, language: Language, *, first: bool
    ) -> None:
        """Add the turn that answers `question`."""
        number = 0 if self.scenario.repeat == "same" else len(self.truths)
        truth = truth_of(language, number, question, self.scenario.source_count)
        if self.scenario.repeat == "quote" and thread.turns:
            truth = quoting(truth, thread.turns[-1].truth)
        turn = ReplicaTurn(len(self.truths), language, truth, self.scenario, first=first)
        self.truths.append(truth)
        thread.turns.append(turn)


# Streaming a turn to the page, frame by frame, with faults.

_JSON: Final = ("Content-Type", "application/json; charset=utf-8")
_REBUILD: Final = StreamFrame({"kind": "rebuild"}).encode()


async def broadcast(exchange: Exchange, thread: ReplicaThread, pace: StreamPace) -> None:
    """Send the last turn of a thread; ends with the stream, or with the client."""
    turn = thread.turns[-1]
    played = tuple(frames(turn))
    # As many as asked for, far apart, none before the first frame.
    times = turn.scenario.rebuild or 0
    rebuilds = [max(1, len(played) * place // (times + 1)) for place in range(1, times + 1)]
    await exchange.begin(200, (_JSON,))
    await exchange.send(GUARD)
    for number, frame in enumerate(played):
        await pace.due(frame)
        if ending := turn.scenario.ending_at(number):
            if ending == "cut":
                await exchange.hang_up()
            else:
                if ending != "hang":  # the page is told what to do with itself
                    thread.reloading = ending == "reload"
                    await exchange.send(StreamFrame({"kind": ending}).encode())
                await trio.sleep_forever()
            return
        await exchange.send(_REBUILD * rebuilds.count(number) + frame.encode())
    if "stream_end" in turn.scenario.drop_signals:
        await trio.sleep_forever()
    await exchange.end()


# The classic result page: the sources of the first answer as a list, without an answer.


def result_page(question: str, language: Language, scenario: Scenario) -> str:
    """Write the page."""
    sources = sources_of(language, 0, scenario.source_count)
    page = fill(
        "results.html",
        words(language).page,
        language=language,
        question=question,
        results_html="\n".join(
            fill(
                "result.html",
                href=wrapped(source.url, scenario.links),
                title=source.title,
                site=source.site,
                snippet=source.snippet,
            )
            for source in sources
        ),
    )
    return dressed(page, scenario)


# A request to Google.

ORIGIN = "https://www.google.com"

_COOKIE_AGE_S = 3 * 60 * 60


@attrs.frozen
class GoogleRequest:
    """A request under a scenario.

    Attributes:
        exchange: the request.
        scenario: what is played.
        language: of the page that is asked for.
        served: how many answer streams this browser was given.
    """

    exchange: Exchange
    scenario: Scenario
    language: Language
    served: int

    @property
    def question(self) -> str:
        """The question; empty on the start page."""
        return self.exchange.query.get("q", "")


def cookie(name: str, value: str) -> str:
    """Write the header that sets a cookie for all of Google; a profile keeps it for a while."""
    return f"{name}={value}; Path=/; Domain=.google.com; Secure; Max-Age={_COOKIE_AGE_S}"


# The consent page, and the cookie that keeps the choice.

Consent: TypeAlias = Literal["reject", "accept"]

_COOKIE = "SOCS"
_VALUES: Mapping[Consent, str] = MappingProxyType({"reject": "CAESHAgB", "accept": "CAISHAgB"})


def consent_in(cookies: str) -> Consent | None:
    """Read from a Cookie header what was chosen."""
    for consent, value in _VALUES.items():
        if f"{_COOKIE}={value}" in cookies:
            return consent
    return None


def consent_asked(visit: GoogleRequest) -> ServerResponse | None:
    """Send a browser that has not chosen yet to the consent page; None lets others pass."""
    if not visit.scenario.consent or _COOKIE in visit.exchange.cookies:
        return None
    url, hl = ORIGIN + visit.exchange.seen.path, visit.language
    asked = {"continue": url, "gl": hl[3:], "hl": hl, "m": "0", "pc": "srp", "src": "1"}
    return redirect(f"https://consent.google.com/ml?{urlencode(asked)}")


def consent_page(visit: GoogleRequest) -> ServerResponse:
    """Show a form for each choice."""
    strings = words(visit.language).page
    forms = (
        _form(visit, "W0wltc", strings.reject, rejected="true", accepted="false"),
        _form(visit, "L2AGLb", strings.accept, rejected="false", accepted="true"),
    )
    page = fill("consent.html", strings, language=visit.language, forms_html="".join(forms))
    return html(page)


def _form(visit: GoogleRequest, button: str, label: str, **choice: str) -> str:
    return fill(
        "choice.html",
        None,
        language=visit.language,
        country=visit.language[3:],
        continue_url=visit.exchange.query.get("continue", ORIGIN),
        id_html=f'id="{button}" ' if visit.scenario.consent_ids else "",
        label=label,
        **choice,
    )


def consent_saved(visit: GoogleRequest) -> ServerResponse:
    """Process the form, and redirect the browser with its choice in a cookie."""
    form = visit.exchange.form
    value = _VALUES["reject" if form.get("set_eom") == "true" else "accept"]
    return redirect(form.get("continue", ORIGIN), status=303, cookie=cookie(_COOKIE, value))


# Obstacles before a Google page: consent, CAPTCHA, block page, script check, log-in, a blank page.
#
# The marks that need no language are those of the real pages: hosts, paths, element ids and fields.

_EXEMPTED = "GOOGLE_ABUSE_EXEMPTION"
_CHECKED = "SG_REL"

Gate: TypeAlias = Callable[[GoogleRequest], ServerResponse]


def obstacle(visit: GoogleRequest) -> ServerResponse | None:
    """Return the page shown instead of the requested one; None lets the request pass."""
    path = visit.exchange.seen.path
    before = consent_asked(visit) or blocked(visit, ORIGIN + path) or _checked(visit, path)
    return before or _instead(visit, path)


def blocked(visit: GoogleRequest, url: str) -> ServerResponse | None:
    """Return the block page for a request of the page `url`; None lets the request pass."""
    after = visit.scenario.captcha_after
    is_suspect = visit.scenario.captcha or (after is not None and visit.served >= after)
    if is_suspect and _EXEMPTED not in visit.exchange.cookies:
        return redirect(_sorry_url(url))
    return html(text_of("blocked.html"), status=429) if visit.scenario.rate_limited else None


def _checked(visit: GoogleRequest, path: str) -> ServerResponse | None:
    if not visit.scenario.script_check or visit.exchange.query.get("emsg") == _CHECKED:
        return None
    return html(fill("check.html", language=visit.language, token=sealed(path)))


def _instead(visit: GoogleRequest, path: str) -> ServerResponse | None:
    if visit.scenario.log_in:
        asked = urlencode({"continue": ORIGIN + path, "hl": visit.language})
        return redirect(f"https://accounts.google.com/v3/signin/identifier?{asked}")
    return html("") if visit.scenario.blank else None


def _sorry_url(url: str) -> str:
    return f"{ORIGIN}/sorry/index?{urlencode({'continue': url, 'q': sealed(url)[:40]})}"


def _sorry(visit: GoogleRequest) -> ServerResponse:
    if visit.exchange.seen.method == "POST":
        # The token of the frame lets anybody in.
        url = visit.exchange.form.get("continue", ORIGIN)
        if visit.exchange.form.get("g-recaptcha-response"):
            return redirect(url, cookie=cookie(_EXEMPTED, "ID=1:TM=1:C=r"))
        return redirect(_sorry_url(url))
    url = visit.exchange.query.get("continue", ORIGIN)
    hl = "".join(parse_qs(urlsplit(url).query).get("hl", []))
    language = language_of(hl, visit.language)
    token = visit.exchange.query.get("q", "")
    strings = words(language).page
    page = fill("sorry.html", strings, language=language, url=url, continue_url=url, token=token)
    return html(page, status=429)


def _enablejs(visit: GoogleRequest) -> ServerResponse:
    path = unsealed(visit.exchange.query["sei"])
    return html(fill("enablejs.html", language=visit.language, url=f"{path}&emsg={_CHECKED}"))


GATES: Mapping[str, Gate] = MappingProxyType(
    {
        "/ml": consent_page,
        "/save": consent_saved,
        "/sorry/index": _sorry,
        "/v3/signin/identifier": lambda visit: html(fill("log_in.html", language=visit.language)),
        "/recaptcha/anchor": lambda visit: html(
            fill("anchor.html", words(visit.language).page, language=visit.language)
        ),
        "/httpservice/retry/enablejs": _enablejs,
        "/goto": lambda visit: redirect(unsealed(visit.exchange.query["url"])),
        "/url": lambda visit: redirect(
            visit.exchange.query.get("q") or visit.exchange.query["url"]
        ),
    }
)


HOSTS = frozenset({"www.google.com", "google.com", "consent.google.com", "accounts.google.com"})

_AI_MODE = "50"
_BROWSER = "NID"
_PATH_CHARACTERS_MAX = 8192


class Google:
    """The replicas of www.google.com, consent.google.com and accounts.google.com.

    Attributes:
        play: what is played; it may be replaced between requests.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.play = Play(scenario)
        self._threads = Threads()
        self._browsers = count()

    async def answer(self, exchange: Exchange) -> None:
        """Answer a request to one of the hosts; 404 for an unknown path."""
        scenario = self.play.scenario
        language = language_of(exchange.query.get("hl", ""), scenario.language)
        served = self.play.served[exchange.cookies.get(_BROWSER, "")]
        path, visit = exchange.path, GoogleRequest(exchange, scenario, language, served)
        if path in {"/async/folwr", "/async/folif"}:
            exchange = visit.exchange
            asked = urlencode({"udm": _AI_MODE, "q": visit.question, "hl": visit.language})
            block = blocked(visit, f"{ORIGIN}/search?{asked}")
            if block is not None:
                await exchange.answer(block)
            elif (status := scenario.stream_status) is not None:
                await exchange.answer(html(f"<h1>{status}</h1>", status=status))
            else:
                thread = self._threads.find(exchange.query.get("ei", ""))
                first = exchange.path == "/async/folwr"
                self.play.answer(thread, visit.question, visit.language, first=first)
                self.play.served[exchange.cookies.get(_BROWSER, "")] += 1
                await broadcast(exchange, thread, self.play.pace)
        elif gate := GATES.get(path):
            try:
                response = gate(visit)
            except (LookupError, ValueError):  # a parameter that none of our pages sends
                response = html("<h1>400</h1>", status=400)
            await exchange.answer(response)
        else:
            await exchange.answer(self._page(visit))

    def _page(self, visit: GoogleRequest) -> ServerResponse:
        exchange = visit.exchange
        if exchange.path not in {"/search", "/aimode"}:
            return html("<h1>404</h1>", status=404)
        if len(exchange.seen.path) > _PATH_CHARACTERS_MAX:
            return html("<h1>400</h1>", status=400)
        if (gate := obstacle(visit)) is not None:
            return gate
        if exchange.path == "/search" and exchange.query.get("udm") != _AI_MODE:
            return html(result_page(visit.question, visit.language, visit.scenario))
        token, thread = self._threads.load(exchange.seen.path)
        if visit.question and not thread.turns:
            self.play.catch_up(thread, visit.question, visit.language)
        page = Shell(visit.question, visit.language, visit.scenario, thread, token).html()
        known = _BROWSER in exchange.cookies
        return html(page, cookie="" if known else cookie(_BROWSER, str(next(self._browsers))))
