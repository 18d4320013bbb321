"""Type inference for acting in a tab: checked by mypy and pyright, never run."""

from typing import assert_type

from tabwright.page.action_runner import ActionRunner, answers, performs
from tabwright.protocol.actions import Click, Hover, Outcome
from tabwright.protocol.actor import Address
from tabwright.protocol.inspection import Capture, Evaluate, Evaluation, Locate, Print, Screenshot
from tabwright.protocol.sessions import Sessions
from tabwright.protocol.tab import Tab


async def the_answer_is_inferred(tab: Address[Tab], sessions: Address[Sessions]) -> None:
    assert_type(await tab.ask(Tab.act, Click("1.5")), Outcome)
    assert_type(await tab.ask(Tab.inspect, Capture()), Screenshot)
    assert_type(await tab.ask(Tab.inspect, Evaluate("1")), Evaluation)
    assert_type(await sessions.ask(Sessions.act, "s", Click("1.5")), Outcome)
    assert_type(await sessions.ask(Sessions.inspect, "s", Print(), blank=True), bytes)


async def a_value_is_no_request(tab: Address[Tab]) -> None:
    await tab.ask(Click("1.5"))  # type: ignore[arg-type]
    await tab.ask(Capture())  # type: ignore[arg-type]


async def an_inspection_is_no_action(tab: Address[Tab]) -> None:
    await tab.ask(Tab.act, Capture())  # type: ignore[arg-type]
    _: bytes = await tab.ask(Tab.inspect, Capture())  # type: ignore[arg-type]


@performs(Click)
async def click(_runner: ActionRunner, _action: Click) -> Outcome:
    return Outcome("")


@performs(Click)  # type: ignore[arg-type]
async def hover(_runner: ActionRunner, _action: Hover) -> Outcome:
    return Outcome("")


@performs(Capture)  # type: ignore[type-var]
async def capture(_runner: ActionRunner, _action: Capture) -> Outcome:
    return Outcome("")


@answers(Locate)
async def locate(_runner: ActionRunner, _inspection: Locate) -> str:
    return ""


@answers(Locate)  # type: ignore[arg-type]
async def picture(_runner: ActionRunner, _inspection: Capture) -> str:
    return ""
