"""Type inference for asking actors: checked by mypy and pyright, never run.

Each wrong line is marked. Both type checkers obey the mark, and complain if it is not needed.
"""

from typing import Protocol, assert_type

import attrs

from tabwright.actors.kit.address import MailboxAddress
from tabwright.protocol.actor import Address, Invoke, Request


@attrs.frozen
class Page:
    title: str


class Tab(Protocol):
    async def navigate(self, request: "Navigate", /) -> Page: ...

    async def close(self, request: "Close", /) -> None: ...

    async def page(self) -> Page: ...

    async def find(self, title: str, nth: int, /) -> Page: ...


class Clock(Protocol):
    async def tell_time(self, request: "TellTime", /) -> float: ...

    async def wind(self) -> None: ...


@attrs.frozen
class Navigate:
    url: str

    async def visit(self, tab: Tab, /) -> Page:
        return await tab.navigate(self)


@attrs.frozen
class Close:
    async def visit(self, tab: Tab, /) -> None:
        await tab.close(self)


@attrs.frozen
class TellTime:
    async def visit(self, clock: Clock, /) -> float:
        return await clock.tell_time(self)


@attrs.frozen
class NavigateWithWrongAnswer:
    async def visit(self, tab: Tab, /) -> int:
        return await tab.navigate(Navigate(""))  # type: ignore[return-value]


@attrs.frozen
class NavigateWithWrongMethod:
    async def visit(self, tab: Tab, /) -> float:
        return await tab.tell_time(TellTime())  # type: ignore[attr-defined, no-any-return]


class TabAndClock:
    """Plays both roles, without a base class."""

    async def navigate(self, request: Navigate, /) -> Page:
        return Page(request.url)

    async def close(self, request: Close, /) -> None: ...

    async def page(self) -> Page:
        return Page("")

    async def find(self, title: str, _nth: int, /) -> Page:
        return Page(title)

    async def tell_time(self, _request: TellTime, /) -> float:
        return 0.0

    async def wind(self) -> None: ...


async def the_answer_is_inferred(tab: Address[Tab], clock: Address[Clock]) -> None:
    assert_type(await tab.ask(Navigate("")), Page)
    assert_type(await tab.ask(Close()), None)
    assert_type(await clock.ask(TellTime()), float)
    assert_type(await tab.ask(Invoke(Tab.page)), Page)
    assert_type(await tab.ask(Invoke(Tab.find, "a", 1)), Page)
    assert_type(await clock.ask(Invoke(Clock.wind)), None)


async def so_it_is_where_the_mailbox_is_known(tab: MailboxAddress[Tab]) -> None:
    assert_type(await tab.ask(Navigate("")), Page)
    assert_type(await tab.ask(Invoke(Tab.page)), Page)
    assert_type(await tab.tell(Navigate("")), None)
    assert_type(tab.notify(Navigate("")), bool)


async def tell_and_notify_have_no_answer(tab: Address[Tab]) -> None:
    assert_type(await tab.tell(Navigate("")), None)
    assert_type(tab.notify(Navigate("")), bool)


async def a_request_knows_role_and_answer() -> None:
    _: Request[Tab, Page] = Navigate("")
    __: Request[Clock, Page] = Navigate("")  # type: ignore[assignment]
    ___: Request[Tab, Page] = Invoke(Tab.page)
    ____: Request[Clock, Page] = Invoke(Tab.page)  # type: ignore[arg-type]


async def an_actor_is_asked_in_each_role_that_it_plays(
    actor: MailboxAddress[TabAndClock],
) -> None:
    assert_type(await actor.ask(Navigate("")), Page)
    assert_type(await actor.ask(TellTime()), float)
    assert_type(await actor.ask(Invoke(Tab.page)), Page)
    assert_type(await actor.ask(Invoke(Clock.wind)), None)
    tab: Address[Tab] = actor
    clock: Address[Clock] = actor
    whole: Address[TabAndClock] = actor
    narrowed: Address[Tab] = whole
    mailbox: MailboxAddress[Tab] = actor
    await the_answer_is_inferred(tab, actor)
    await the_answer_is_inferred(narrowed, whole)
    await so_it_is_where_the_mailbox_is_known(mailbox)
    assert_type(await clock.ask(TellTime()), float)


async def an_answer_of_another_type_is_an_error(tab: Address[Tab]) -> None:
    number: int = await tab.ask(Navigate(""))  # type: ignore[arg-type]
    number = await tab.ask(Invoke(Tab.page))  # type: ignore[arg-type]
    assert number


async def a_role_that_does_not_know_the_request_is_an_error(clock: Address[Clock]) -> None:
    await clock.ask(Navigate(""))  # type: ignore[arg-type]
    await clock.tell(Navigate(""))  # type: ignore[arg-type]
    clock.notify(Navigate(""))  # type: ignore[arg-type]
    await clock.ask(Invoke(Tab.page))  # type: ignore[arg-type]
    clock.notify(Invoke(Tab.page))  # type: ignore[arg-type]


async def a_method_is_invoked_with_its_arguments(tab: Address[Tab], clock: Address[Clock]) -> None:
    await tab.ask(Invoke(Tab.navigate))  # type: ignore[arg-type]
    await tab.ask(Invoke(Tab.find, "a"))  # type: ignore[arg-type]
    await tab.ask(Invoke(Tab.find, 1, "a"))  # type: ignore[arg-type]
    await tab.ask(Invoke(Tab.page, "a"))  # type: ignore[arg-type]
    await clock.ask(Invoke(Tab.find, "a", 1))  # type: ignore[arg-type]


async def nor_does_the_mailbox_take_it(clock: MailboxAddress[Clock]) -> None:
    await clock.ask(Navigate(""))  # type: ignore[arg-type]
    await clock.tell(Navigate(""))  # type: ignore[arg-type]
    clock.notify(Navigate(""))  # type: ignore[arg-type]


async def an_address_of_another_role_is_an_error(
    clock: Address[Clock], mailbox: MailboxAddress[Clock]
) -> None:
    tab: Address[Tab] = clock  # type: ignore[assignment]
    tab = mailbox  # type: ignore[assignment]
    assert tab


async def what_is_no_request_is_an_error(tab: Address[Tab]) -> None:
    await tab.ask("navigate")  # type: ignore[arg-type]


def a_request_is_not_changed_on_its_way(request: Navigate) -> None:
    request.url = ""  # type: ignore[misc]
