"""No argument of a wrong type ends an actor: the open sessions live on."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from inspect import Parameter, iscoroutinefunction, signature
from typing import TypeAlias, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tabwright import Page, Session, Tabwright, TabwrightError, WebSearch
from tabwright.plugins.crawl.crawler import crawl
from tabwright.protocol.actions import Click
from tabwright.protocol.sessions import Sessions
from tabwright.testing import FakePage, FakeSite, SimulatedTabwright

SITE = FakeSite({"https://shop.example/": FakePage("<title>Shop</title>")})
SESSIONS = {"shop", "other"}

Untyped: TypeAlias = Callable[..., Awaitable[object]]


def untyped(method: object) -> Untyped:
    """Return a method as a program without a type checker sees it."""
    return cast("Untyped", method)


async def open_sessions(tabwright: Tabwright) -> None:
    for session in sorted(SESSIONS):
        await tabwright.session(session).enter("https://shop.example/")


async def names(tabwright: Tabwright) -> set[str]:
    return {session.name for session in await tabwright.list_sessions()}


CALLS: dict[str, Callable[[Tabwright], Awaitable[object]]] = {
    "act with a text": lambda t: untyped(t.session("shop").act)("click"),
    "act with a class": lambda t: untyped(t.session("shop").act)(Click),
    "act with a number as ref": lambda t: untyped(t.session("shop").act)(untyped(Click)(5)),
    "a number as tab in a text": lambda t: untyped(t.session("shop").act)(Click("1.1"), tab="1"),
    "a number as session": lambda t: untyped(t.open)("https://shop.example/", session=5),
    "a number as URL": lambda t: untyped(t.open)(5, session="shop"),
    "a number as question": lambda t: untyped(t.search)(5),
    "a number as web search": lambda t: untyped(t.web_search)(5),
    "a number as query": lambda t: untyped(t.web_search)(untyped(WebSearch)(5)),
    "a text as engines": lambda t: untyped(t.web_search)(untyped(WebSearch)("a", engines="bing")),
    "a number as ref of a page": lambda t: untyped(Page(t.session("shop"), 1).click)(5),
    "an unknown argument of an action": lambda t: untyped(Page(t.session("shop"), 1).click)(to=5),
    "a text as inspection": lambda t: untyped(t.session("shop").inspect)("outline"),
    "a text as crawl": lambda t: untyped(crawl)(t, "https://a.example/", "store"),
    "a number as task": lambda t: untyped(t.session("shop").run_task)(5),
    "a text asked of an actor": lambda t: untyped(t.parts.sessions.ask)("list"),
    "no argument": lambda t: untyped(t.session("shop").act)(),
}


@pytest.mark.parametrize("name", CALLS)
def test_wrong_argument_is_a_type_error_and_sessions_stay_open(name: str) -> None:
    async def work(tabwright: Tabwright) -> set[str]:
        await open_sessions(tabwright)
        with pytest.raises(TypeError):
            await CALLS[name](tabwright)
        return await names(tabwright)

    assert SimulatedTabwright(SITE).run(work) == SESSIONS


def test_wrong_type_inside_a_request_to_an_actor_ends_only_that_request() -> None:
    async def work(tabwright: Tabwright) -> set[str]:
        await open_sessions(tabwright)
        with pytest.raises(TabwrightError):
            await tabwright.parts.sessions.ask(Sessions.act, "shop", untyped(Click)(5))
        return await names(tabwright)

    assert SimulatedTabwright(SITE).run(work) == SESSIONS


METHODS = [
    (of, name)
    for of in (Tabwright, Session, Page)
    for name, method in sorted(vars(of).items())
    if iscoroutinefunction(method) and not name.startswith("_") and name != "close"
]

ODD: list[object] = [5, -1.5, b"x", [], {}, (), object(), int, print, "shop", "other"]
odd_values = st.sampled_from(ODD)


@st.composite
def calls(draw: st.DrawFn) -> tuple[type, str, dict[str, object]]:
    """A method, with an odd value for each required argument, and for some others."""
    of, name = draw(st.sampled_from(METHODS))
    parameters = list(signature(vars(of)[name]).parameters.values())[1:]
    return (
        of,
        name,
        {
            parameter.name: draw(odd_values)
            for parameter in parameters
            if parameter.default is Parameter.empty or draw(st.booleans())
        },
    )


@settings(deadline=None, max_examples=20)
@given(st.lists(calls(), min_size=1, max_size=8))
def test_no_call_with_odd_arguments_ends_an_actor(
    made: list[tuple[type, str, dict[str, object]]],
) -> None:
    async def work(tabwright: Tabwright) -> set[str]:
        await open_sessions(tabwright)
        session = tabwright.session("shop")
        objects = {Tabwright: tabwright, Session: session, Page: Page(session, 1)}
        for of, name, arguments in made:
            with suppress(TypeError, TabwrightError):
                await untyped(getattr(objects[of], name))(**arguments)
        return await names(tabwright)

    assert SimulatedTabwright(SITE).run(work) >= SESSIONS
