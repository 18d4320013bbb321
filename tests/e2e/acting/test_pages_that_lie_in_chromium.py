"""Pages that lie or do nothing: no outcome reports a success that the server has not seen.

The server's own log is the judge: each request that it saw is in the outcome of the action, or in
the next one if it came or ended later, with the status that the server sent.
"""

import attrs
import pytest
import trio

from tabwright.page.action_runner import NO_EFFECT
from tabwright.page.render import render_outcome
from tabwright.protocol.actions import (
    Action,
    Click,
    FieldValue,
    Fill,
    Outcome,
    Press,
    SelectOption,
    Type,
    WaitFor,
)
from tabwright.testing.replica.server import Exchange, ServerResponse

pytestmark = pytest.mark.chromium

GO = Click("text=Go")

STATUSES = {"/ok": 200, "/fail": 500, "/conflict": 409, "/denied": 403, "/slow": 200, "/empty": 204}
"""The statuses of the server's paths; ``/reset`` breaks the connection, ``/hang`` never answers."""

SLOW_S = 0.4


@attrs.frozen
class LyingPage:
    """A page, an action on it, and texts of the outcome.

    Attributes:
        name: what is wrong with the page.
        body: of the page.
        shows: texts that the outcome has.
        later: texts that the next outcome has, if it is requested.
        action: the action on the page.
    """

    name: str
    body: str
    shows: tuple[str, ...] = ()
    later: tuple[str, ...] = ()
    action: Action = GO


def button(script: str, more: str = "") -> str:
    return f'<button onclick="{script}">Go</button><p id=p></p>{more}'


def sends(path: str, then: str = "", method: str = "POST") -> str:
    return f"fetch('{path}', {{method: '{method}'}}).finally(() => {{ {then} }}).catch(() => {{}});"


SAVED = "p.textContent = 'Saved';"
FIELD = "<label>Name <input id=f></label>"
CHECK = "<label><input type=checkbox id=c {}>Agree</label>"
SIZES = "<select id=s aria-label=Size {}><option>Small<option>Large</select>"
DOUBT = "The request failed: the page may be wrong"

PAGES = (
    # Nothing happens.
    LyingPage("no listener", "<button>Go</button>", (NO_EFFECT,)),
    LyingPage("empty listener", button(""), (NO_EFFECT,)),
    LyingPage("listener on another", "<button>Go</button><i onclick=fetch('/ok')>", (NO_EFFECT,)),
    LyingPage(
        "prevented form", "<form onsubmit='return false'><button>Go</button></form>", (NO_EFFECT,)
    ),
    LyingPage("prevented link", "<a href=/ok onclick='return false'>Go</a>", (NO_EFFECT,)),
    LyingPage("link to nowhere", "<a href='javascript:void 0'>Go</a>", (NO_EFFECT,)),
    LyingPage(
        "stopped event",
        "<div onclick=fetch('/ok')><button onclick=event.stopPropagation()>Go</button></div>",
        (NO_EFFECT,),
    ),
    LyingPage(
        "once only",
        "<button id=b>Go</button>"
        "<script>b.onclick = () => { if (b.id != 'b') fetch('/ok') }</script>",
        (NO_EFFECT,),
    ),
    LyingPage("listener throws", button("throw Error('broken')"), ("broken",)),
    LyingPage("listener logs an error", button("console.error('not saved')"), ("not saved",)),
    LyingPage("rejected promise", button("Promise.reject(Error('lost'))"), ("lost",)),
    LyingPage("key without effect", FIELD, (NO_EFFECT,), action=Press("F2", "label=Name")),
    LyingPage(
        "listener ignores scripts", button("if (event.detail > 1) fetch('/ok')"), (NO_EFFECT,)
    ),
    LyingPage(
        "aria-disabled handler",
        "<button onclick=\"if (this.ariaBusy != 'true') fetch('/ok')\" aria-busy=true>Go</button>",
        (NO_EFFECT,),
    ),
    # Success is shown over a failure.
    LyingPage(
        "saved over 500", button(sends("/fail", SAVED)), ("Saved", "POST /fail failed (500)", DOUBT)
    ),
    LyingPage(
        "saved over 409",
        button(sends("/conflict", SAVED)),
        ("Saved", "POST /conflict failed (409)", DOUBT),
    ),
    LyingPage(
        "saved over 403",
        button(sends("/denied", SAVED)),
        ("Saved", "POST /denied failed (403)", DOUBT),
    ),
    LyingPage(
        "saved over a reset connection",
        button(sends("/reset", SAVED)),
        ("Saved", "POST /reset failed", DOUBT),
    ),
    LyingPage(
        "saved over an aborted request",
        button(
            "let a = new AbortController;"
            " fetch('/hang', {method: 'POST', signal: a.signal}).catch(() => {});"
            " setTimeout(() => a.abort(), 60);" + SAVED
        ),
        ("Saved", "POST /hang failed", DOUBT),
    ),
    LyingPage(
        "saved over a failed beacon",
        button("navigator.sendBeacon('/fail');" + SAVED),
        ("Saved", "POST /fail"),
    ),
    LyingPage(
        "saved with XMLHttpRequest over 500",
        button("let x = new XMLHttpRequest; x.open('PUT', '/fail'); x.send();" + SAVED),
        ("Saved", "PUT /fail failed (500)", DOUBT),
    ),
    LyingPage(
        "deleted over 409",
        button(sends("/conflict", "p.textContent = 'Deleted'", "DELETE")),
        ("Deleted", "DELETE /conflict failed (409)"),
    ),
    LyingPage("saved without a request", button(SAVED), ("Saved",)),
    LyingPage(
        "saved while offline",
        button(
            "fetch('http://127.0.0.1:1/x', {method: 'POST', mode: 'no-cors'}).catch(() => {});"
            + SAVED
        ),
        ("Saved", "POST 127.0.0.1:1/x failed"),
    ),
    LyingPage("silent 500", button(sends("/fail")), ("POST /fail failed (500)",)),
    LyingPage("silent 409", button(sends("/conflict")), ("POST /conflict failed (409)",)),
    LyingPage(
        "failed first, saved at the second try",
        button(sends("/fail", sends("/ok", SAVED))),
        ("Saved", "POST /fail failed (500), POST /ok 200"),
    ),
    LyingPage(
        "form in a frame fails",
        "<form method=post action=/fail target=t><button>Go</button></form>"
        "<iframe name=t></iframe>",
        ("POST /fail failed (500)",),
    ),
    LyingPage(
        "form without a response page",
        "<form method=post action=/empty><button>Go</button></form>",
        ("POST /empty 204",),
    ),
    LyingPage(
        "toast hides itself",
        button(sends("/fail", "p.textContent = 'Saved'; setTimeout(() => p.textContent = '', 50)")),
        ("POST /fail failed (500)",),
    ),
    LyingPage(
        "beacon has no response yet",
        button("navigator.sendBeacon('/slow');" + SAVED),
        ("Saved", "POST /slow pending"),
        ("Earlier: Requests: POST /slow 200",),
    ),
    # Several requests.
    LyingPage(
        "statistics fail beside a save",
        button(sends("/ok", SAVED) + sends("/fail")),
        ("Saved", "POST /fail failed (500), POST /ok 200"),
    ),
    LyingPage(
        "statistics work beside a failed save",
        button(sends("/fail", SAVED) + sends("/ok")),
        ("POST /fail failed (500), POST /ok 200",),
    ),
    LyingPage("submitted twice", button(sends("/ok") + sends("/ok")), ("POST /ok 200 (2 times)",)),
    LyingPage(
        "list is read but not saved", button(sends("/ok", SAVED, "GET")), ("Saved", "GET /ok 200")
    ),
    LyingPage(
        "picture is missing",
        button("p.innerHTML = '<img src=/fail alt=Chart>'"),
        ("GET /fail failed (500)",),
    ),
    # Known only later.
    LyingPage(
        "late request",
        button("setTimeout(() => fetch('/ok', {method: 'POST'}), 350)"),
        (NO_EFFECT,),
        ("POST /ok 200",),
    ),
    LyingPage(
        "late failure",
        button("setTimeout(() => fetch('/fail', {method: 'POST'}), 350)"),
        (NO_EFFECT,),
        ("POST /fail failed (500)",),
    ),
    LyingPage(
        "saved before a late failure",
        button(SAVED + "setTimeout(() => fetch('/fail', {method: 'POST'}), 350)"),
        ("Saved",),
        ("POST /fail failed (500)",),
    ),
    LyingPage(
        "late title",
        button("setTimeout(() => document.title = 'Done', 400)"),
        (NO_EFFECT,),
        ("Done",),
    ),
    LyingPage(
        "late toast",
        button("setTimeout(() => p.textContent = 'Could not save', 400)"),
        (NO_EFFECT,),
        ("Could not save",),
    ),
    LyingPage(
        "update taken back",
        button(SAVED + "setTimeout(() => p.textContent = 'Could not save', 300)"),
        ("Saved",),
        ("Could not save",),
    ),
    LyingPage(
        "row comes back",
        button(
            "q.remove(); setTimeout(() => document.body.append('Row 1'), 300)", "<p id=q>Row 1</p>"
        ),
        ("- Row 1",),
        ("+ Row 1",),
    ),
    # Fields that take values back.
    LyingPage(
        "field empties itself",
        "<label>Name <input oninput=\"setTimeout(() => { this.value = '' }, 250)\"></label>",
        (),
        ("- ", "Name"),
        Type("label=Name", "Ann"),
    ),
    LyingPage(
        "field rejects at once",
        "<label>Name <input oninput=\"this.value = ''\"></label>",
        ("differs",),
        action=Type("label=Name", "Ann"),
    ),
    LyingPage(
        "checkbox unchecks itself",
        CHECK.format("onchange='setTimeout(() => { c.checked = false }, 250)'"),
        ("checked",),
        ("- ",),
        Click("label=Agree"),
    ),
    LyingPage(
        "checkbox refuses",
        CHECK.format("onclick='return false'"),
        (NO_EFFECT,),
        action=Click("label=Agree"),
    ),
    LyingPage(
        "select resets itself",
        SIZES.format("onchange='setTimeout(() => { s.value = \"Small\" }, 60)'"),
        ("Small",),
        action=SelectOption("label=Size", "Large"),
    ),
    LyingPage(
        "select resets itself late",
        SIZES.format("onchange='setTimeout(() => { s.value = \"Small\" }, 300)'"),
        (),
        ("Small",),
        SelectOption("label=Size", "Large"),
    ),
    LyingPage(
        "silent validation",
        "<form action=/ok><label>Name <input required></label><button>Go</button></form>",
        ("not submitted",),
    ),
    LyingPage(
        "server refuses the form",
        f'<form onsubmit="{sends("/conflict")} return false">'
        "<label>Name <input name=n></label></form>",
        ("POST /conflict failed (409)",),
        action=Fill((FieldValue("Name", "Ann"),), submit=True),
    ),
    # The address and the title.
    LyingPage("only the title changes", button("document.title = 'Sent'"), ("Sent",)),
    LyingPage(
        "only the address changes",
        button("history.pushState(0, '', '/account/2')"),
        ("/account/2",),
    ),
)
"""Pages whose outcome is not what they show, or what their control promises."""


@attrs.define
class Judge:
    """The server's log of requests that may change data: method, path and status; 0 for none."""

    requests: list[tuple[str, str, int]] = attrs.field(factory=list[tuple[str, str, int]])

    async def answer(self, exchange: Exchange) -> None:
        status = STATUSES.get(exchange.path, 0)
        if exchange.seen.method != "GET":
            self.requests.append((exchange.seen.method, exchange.path, status))
        if exchange.path == "/reset":
            await exchange.reset()
            return
        if exchange.path == "/hang":
            await trio.sleep_forever()
        if exchange.path == "/slow":
            await trio.sleep(SLOW_S)
        await exchange.answer(ServerResponse(b"", status=status))


def reported(outcome: Outcome, path_status: list[tuple[str, str, int]]) -> None:
    """Add the requests that an outcome names."""
    for one in (*outcome.meanwhile.requests, *outcome.requests):
        path = "/" + one.url.rpartition("/")[2]
        if one.method != "GET" and "127.0.0.1:1/" not in one.url and (one.status or one.failure):
            path_status.append((one.method, path, one.status))


async def test_outcomes_report_what_the_server_saw(agent, subtests):
    """Each page is told as it is, in at most two outcomes."""
    judge = Judge()
    for path in (*STATUSES, "/reset", "/hang"):
        agent.stand.pages[path] = judge.answer
    for lying in PAGES:
        with subtests.test(lying.name):
            judge.requests.clear()
            await agent.show(lying.body)
            first = await agent.ask(lying.action)
            seen = render_outcome(first)
            named: list[tuple[str, str, int]] = []
            reported(first, named)
            later = ""
            if lying.later:
                second = await agent.ask(WaitFor(seconds=0.5))
                later = render_outcome(second)
                reported(second, named)
            if lying.later == ("- ",) and NO_EFFECT in seen:
                continue  # the page took it back before the outcome, which is right
            assert [text for text in lying.shows if text not in seen] == [], seen
            assert [text for text in lying.later if text not in later] == [], later
            assert set(named) == set(judge.requests), seen
