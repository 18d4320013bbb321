"""Type inference for asking actors: checked by mypy and pyright, never run.

Each wrong line is marked. Both type checkers obey the mark, and complain if it is not needed.
"""

from typing import Protocol, TypeVar, assert_type

from tabwright.actors.kit.address import MailboxAddress
from tabwright.protocol.actor import Address

ValueT = TypeVar("ValueT")


class Page:
    title: str = ""


class Tab(Protocol):
    async def navigate(self, url: str, *, whole: bool = False) -> Page: ...

    async def close(self) -> None: ...

    async def find(self, title: str, nth: int = 0) -> Page: ...

    async def same(self, value: list[ValueT]) -> ValueT: ...


class Clock(Protocol):
    async def tell_time(self) -> float: ...

    async def wind(self) -> None: ...


class TabAndClock:
    """Plays both roles, without a base class."""

    async def navigate(self, url: str, *, whole: bool = False) -> Page:
        del url, whole
        return Page()

    async def close(self) -> None: ...

    async def find(self, title: str, nth: int = 0) -> Page:
        del title, nth
        return Page()

    async def same(self, value: list[ValueT]) -> ValueT:
        return value[0]

    async def tell_time(self) -> float:
        return 0.0

    async def wind(self) -> None: ...


async def the_answer_is_inferred(tab: Address[Tab], clock: Address[Clock]) -> None:
    assert_type(await tab.ask(Tab.navigate, ""), Page)
    assert_type(await tab.ask(Tab.navigate, url="", whole=True), Page)
    assert_type(await tab.ask(Tab.close), None)
    assert_type(await tab.ask(Tab.find, "a", 1), Page)
    assert_type(await tab.ask(Tab.same, [1]), int)
    assert_type(await clock.ask(Clock.tell_time), float)
    assert_type(await clock.ask(Clock.wind), None)


async def so_it_is_where_the_mailbox_is_known(tab: MailboxAddress[Tab]) -> None:
    assert_type(await tab.ask(Tab.navigate, ""), Page)
    assert_type(await tab.tell(Tab.navigate, ""), None)
    assert_type(tab.notify(Tab.navigate, ""), bool)


async def tell_and_notify_have_no_answer(tab: Address[Tab]) -> None:
    assert_type(await tab.tell(Tab.navigate, ""), None)
    assert_type(tab.notify(Tab.navigate, ""), bool)


async def an_actor_is_asked_in_each_role_that_it_plays(
    actor: MailboxAddress[TabAndClock],
) -> None:
    assert_type(await actor.ask(TabAndClock.navigate, ""), Page)
    assert_type(await actor.ask(TabAndClock.tell_time), float)
    tab: Address[Tab] = actor
    clock: Address[Clock] = actor
    whole: Address[TabAndClock] = actor
    narrowed: Address[Tab] = whole
    mailbox: MailboxAddress[Tab] = actor
    await the_answer_is_inferred(tab, actor)
    await the_answer_is_inferred(narrowed, whole)
    await so_it_is_where_the_mailbox_is_known(mailbox)
    assert_type(await clock.ask(Clock.tell_time), float)


async def an_answer_of_another_type_is_an_error(tab: Address[Tab]) -> None:
    number: int = await tab.ask(Tab.navigate, "")  # type: ignore[arg-type]
    assert number


async def a_role_that_does_not_know_the_method_is_an_error(clock: Address[Clock]) -> None:
    await clock.ask(Tab.navigate, "")  # type: ignore[arg-type]
    await clock.tell(Tab.navigate, "")  # type: ignore[arg-type]
    clock.notify(Tab.navigate, "")  # type: ignore[arg-type]
    await clock.ask(Tab.close)  # type: ignore[arg-type]


async def a_method_is_asked_with_its_arguments(tab: Address[Tab]) -> None:
    await tab.ask(Tab.navigate)  # type: ignore[call-arg]
    await tab.ask(Tab.navigate, 1)  # type: ignore[arg-type]
    await tab.ask(Tab.navigate, "", True)  # type: ignore[call-arg]
    await tab.ask(Tab.find, "a", nth="b")  # type: ignore[arg-type]
    await tab.ask(Tab.find, "a", title="b")  # type: ignore[misc]
    await tab.ask(Tab.close, "a")  # type: ignore[call-arg]


async def nor_does_the_mailbox_take_it(clock: MailboxAddress[Clock]) -> None:
    await clock.ask(Tab.navigate, "")  # type: ignore[arg-type]
    await clock.tell(Tab.navigate, "")  # type: ignore[arg-type]
    clock.notify(Tab.navigate, "")  # type: ignore[arg-type]


async def an_address_of_another_role_is_an_error(
    clock: Address[Clock], mailbox: MailboxAddress[Clock]
) -> None:
    tab: Address[Tab] = clock  # type: ignore[assignment]
    tab = mailbox  # type: ignore[assignment]
    assert tab


async def what_is_no_method_is_an_error(tab: Address[Tab]) -> None:
    await tab.ask("navigate")  # type: ignore[arg-type]
