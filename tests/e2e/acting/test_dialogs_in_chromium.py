"""Dialogs of pages, in a real Chromium: none of them blocks a tab."""

from functools import partial

import pytest
import trio

from tabwright.mcp.tools.run_steps import read_steps
from tabwright.page import user_scripts
from tabwright.protocol.actions import AnswerDialog, Click, Dialog, Press, RunSteps, ScriptEnd
from tabwright.protocol.errors import BadInput, Effect, PageStays
from tabwright.protocol.extraction import ReadOptions
from tabwright.protocol.inspection import Evaluate, LocateOnPage, TakeOutline
from tabwright.protocol.sessions import Sessions
from tests.support.cases import cases

pytestmark = pytest.mark.chromium

ANSWERED_S = 20


@pytest.fixture(params=["chromium", "headless-shell"])
def browser(request):
    """Browsers to try; the headless shell does not leave a page with a dialog."""
    return request.param


async def test_alerts_are_answered_and_reported_even_in_a_loop(agent):
    await agent.show(
        "<button onclick=\"alert('Hi'); note('after')\">One</button>"
        "<button onclick=\"for (let i = 0; i < 40; i++) alert(`Number ${i}`); note('end')\">Loop"
        "</button>"
    )
    one = await agent.click('"One"')
    loop = await agent.click('"Loop"')
    assert [(output.kind, output.message) for output in one.dialogs] == [("alert", "Hi")]
    assert one.dialog is None
    assert loop.dialogs[-1].message == "Number 39"
    assert await agent.notes() == ["after", "end"]


async def test_confirm_and_prompt_wait_for_an_answer(agent):
    await agent.show(
        "<button onclick=\"note(confirm('Sure?'))\">Ask</button>"
        "<button onclick=\"note(prompt('Name?', 'Ann'))\">Name</button>"
    )
    ask, name = await agent.ref('"Ask"'), await agent.ref('"Name"')
    with trio.fail_after(ANSWERED_S):
        asked = await agent.ask(Click(ask))
        blocked = await agent.refused(Click(name))
        place = await agent.ask(LocateOnPage())
        refused_outline = await agent.refused(TakeOutline())
        no = await agent.ask(AnswerDialog(accept=False))
    await agent.ask(Click(name))
    await agent.ask(AnswerDialog(accept=True))
    await agent.ask(Click(name))
    await agent.ask(AnswerDialog(accept=True, text="Bo"))
    nothing = await agent.refused(AnswerDialog(accept=True))
    assert (asked.dialog.kind, asked.dialog.message) == ("confirm", "Sure?")
    assert "Answer it with dialog" in blocked.advice
    assert place.dialog == asked.dialog
    assert "Sure?" in refused_outline.message
    assert no.description == "Dismissed the confirm: Sure?"
    assert "No dialog" in nothing.message
    assert await agent.notes() == ["false", "Ann", "Bo"]


async def test_delayed_and_consecutive_dialogs_are_reported(agent):
    await agent.show(
        "<button onclick=\"setTimeout(() => note(confirm('Later?')), 700)\">Later</button>"
        "<button onclick=\"note(confirm('One?') + ',' + confirm('Two?'))\">Twice</button>"
    )
    await agent.click('"Twice"')
    second = await agent.ask(AnswerDialog(accept=True))
    await agent.ask(AnswerDialog(accept=False))
    await agent.click('"Later"')
    with trio.fail_after(ANSWERED_S):
        while (place := await agent.ask(LocateOnPage())).dialog is None:
            await trio.sleep(0.05)
    await agent.ask(AnswerDialog(accept=True))
    assert second.dialog.message == "Two?"
    assert place.dialog.message == "Later?"
    assert await agent.notes() == ["true,false", "true"]


async def test_beforeunload_page_asks_by_a_dialog_before_it_is_left(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show(
        "<input><a href=/next>Next</a><script>onbeforeunload = event => {"
        " event.preventDefault(); return 'Stay?' }</script>"
    )
    await agent.ask(Press("a", await agent.ref("textbox")))
    asked = await agent.click('"Next"')
    stayed = await agent.ask(AnswerDialog(accept=False))
    await agent.click('"Next"')
    left = await agent.ask(AnswerDialog(accept=True))
    assert asked.dialog.kind == "beforeunload"
    assert (stayed.url, stayed.navigated) == (agent.stand.url("/"), None)
    assert "the page stays" in stayed.description
    assert left.url == agent.stand.url("/next")
    assert left.navigated.status == 200


async def test_explicit_navigation_is_not_stopped_by_beforeunload(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show(
        "<input><script>onbeforeunload = event => { event.preventDefault(); return 'Stay?' }"
        "</script>"
    )
    await agent.ask(Press("a", await agent.ref("textbox")))
    with trio.fail_after(ANSWERED_S):
        outcome = await agent.tabwright.parts.sessions.ask(
            Sessions.enter, "s", agent.stand.url("/next")
        )
    assert outcome.url == agent.stand.url("/next")


@pytest.mark.parametrize("url", ["reload", "/next"])
async def test_navigation_from_beforeunload_page_fails_if_it_must_not_be_left(
    open_agent, browser, url
):
    async with open_agent(browser__path=browser, acting__scripts=True) as agent:
        agent.stand.put("/next", "<h1>Next</h1>")
        await agent.show(
            "<input><script>onbeforeunload = event => { event.preventDefault(); return 'Stay?' }"
            "</script>"
        )
        await agent.ask(Press("a", await agent.ref("textbox")))
        target = agent.stand.url(url) if url.startswith("/") else url
        opening = partial(agent.tabwright.parts.sessions.ask, Sessions.enter, "s", target)
        with trio.fail_after(ANSWERED_S), pytest.raises(PageStays) as refused:
            await opening(leaves=False)
        typed = await agent.value("document.querySelector('input').value")
        left = await opening()
    assert (refused.value.effect, refused.value.retryable) == (Effect.NONE, False)
    assert typed == "a"
    assert left.url == agent.stand.url("/" if url == "reload" else url)


async def test_page_state_is_kept_if_beforeunload_prevents_reload(agent):
    await agent.show(
        "<input><script>onbeforeunload = event => { event.preventDefault(); return 'Stay?' }"
        "</script>"
    )
    await agent.ask(Press("a", await agent.ref("textbox")))
    await agent.value("window.mark = 1")
    with pytest.raises(PageStays):
        await agent.tabwright.session("s").navigate("reload", ReadOptions(leaves=False))
    assert await agent.value("window.mark") == 1


async def test_page_without_beforeunload_is_left_even_with_leaves_false(agent):
    agent.stand.put("/next", "<h1>Next</h1>")
    await agent.show("<p>Page</p>")
    url = agent.stand.url("/next")
    entered = await agent.tabwright.parts.sessions.ask(Sessions.enter, "s", url, leaves=False)
    assert entered.url == url


async def test_confirm_after_another_dialog_waits_for_an_answer_too(agent):
    await agent.show(
        "<button onclick=\"alert('Note'); note(confirm('Sure?'))\">Told</button>"
        "<button onclick=\"note(confirm('One?') + ',' + confirm('Two?'))\">Twice</button>"
    )
    with trio.fail_after(ANSWERED_S):
        reported = await agent.click('"Told"')
        await agent.ask(AnswerDialog(accept=True))
    with trio.fail_after(ANSWERED_S):
        first = await agent.click('"Twice"')
        second = await agent.ask(AnswerDialog(accept=True))
        await agent.ask(AnswerDialog(accept=False))
    messages = [one.dialog.message for one in (reported, first, second)]
    assert messages == ["Sure?", "One?", "Two?"]
    assert await agent.notes() == ["true", "true,false"]


async def test_navigation_elsewhere_does_not_accept_pending_beforeunload(open_agent, browser):
    async with open_agent(browser__path=browser, acting__scripts=True) as agent:
        agent.stand.put("/danger", "Danger")
        agent.stand.put("/elsewhere", "Elsewhere")
        await agent.show(
            "<input><form action=/danger method=post><button>Delete</button></form>"
            "<script>onbeforeunload = event => { event.preventDefault(); return 'Stay?' }</script>"
        )
        await agent.type("textbox", "x")
        asked = await agent.click('"Delete"')
        gone = await agent.go("/elsewhere")
        assert asked.dialog.kind == "beforeunload"
        assert "Elsewhere" in gone
        assert agent.stand.asked("/danger") == 0


@cases(("accept", "value"), [(True, '["yes","Bo"]'), (False, '["no",null]')])
async def test_last_dialog_answer_returns_value_of_the_interrupted_script(agent, accept, value):
    await agent.show("<p>Page</p>")
    script = "[confirm('Sure?') ? 'yes' : 'no', prompt('Name?')]"
    interrupted = await agent.ask(Evaluate(script))
    again = await agent.ask(AnswerDialog(accept))
    ended = await agent.ask(AnswerDialog(accept, text="Bo"))
    assert interrupted.outcome.dialog == Dialog("confirm", "Sure?")
    assert (interrupted.json, again.script, again.dialog) == ("", None, Dialog("prompt", "Name?"))
    assert ended.script == ScriptEnd(json=value)


async def test_interrupted_script_value_is_kept_in_the_outcome_of_steps(agent):
    await agent.show("<button>One</button>")
    await agent.ask(Evaluate("confirm('Sure?')"))
    steps = [{"do": "dialog", "accept": True}, {"do": "click", "ref": "text=One"}]
    assert (await agent.ask(RunSteps(read_steps(steps)))).script == ScriptEnd(json="true")


async def test_opening_about_blank_with_leaves_false_is_refused(agent):
    await agent.show("<p>Page</p>")
    with pytest.raises(BadInput):
        await agent.tabwright.parts.sessions.ask(Sessions.enter, "s", "about:blank", leaves=False)
    assert await agent.value("document.body.innerText") == "Page"


async def test_failure_or_timeout_of_interrupted_script_is_reported_with_the_answer(
    agent, monkeypatch
):
    await agent.show("<button onclick=\"note(confirm('Own?'))\">Own</button>")
    await agent.ask(Evaluate("confirm('One?') && missing"))
    failed = await agent.ask(AnswerDialog(accept=True))
    await agent.ask(Evaluate("new Promise(() => confirm('Two?'))"))
    with monkeypatch.context() as patched:
        patched.setattr(user_scripts, "SCRIPT_S", 0.2)
        endless = await agent.ask(AnswerDialog(accept=True))
    await agent.click("Own")
    own = await agent.ask(AnswerDialog(accept=True))
    assert "missing is not defined" in failed.script.failure
    assert endless.script.failure
    assert not endless.script.json
    assert (own.script, await agent.notes()) == (None, ["true"])


async def test_tab_can_be_closed_while_its_script_waits_behind_a_dialog(agent):
    await agent.show("<p>Page</p>")
    await agent.go("/", new_tab=True)
    interrupted = await agent.ask(Evaluate("confirm('Sure?')"))
    left = await agent.tabwright.parts.sessions.ask(Sessions.change_tabs, agent.session, "close", 2)
    assert interrupted.outcome.dialog
    assert len(left) == 1
    assert await agent.value("1 + 1") == 2
