"""How the dialogs of a page are answered and reported."""

import pytest
import trio
import trio.testing

from tabwright.cdp.domains.page import DialogOpening, handle_dialog
from tabwright.page.events.dialogs import Dialogs
from tabwright.page.frames import LATEST_MAX
from tabwright.protocol.actions import Dialog

KINDS = ("alert", "confirm", "prompt", "beforeunload")


def opening(kind, message="Well?", preset=""):
    return DialogOpening(type=kind, message=message, default_prompt=preset)


def answered_dialogs(dialogs):
    return list(dialogs.answered.between(0, dialogs.answered.last))


async def wait_for_dialog(dialogs):
    with dialogs.until_open():
        await trio.sleep_forever()


@pytest.fixture
def asked():
    dialogs = Dialogs()
    dialogs.asked = True
    return dialogs


@pytest.mark.parametrize("kind", KINDS)
def test_dialog_without_handler_is_dismissed_unless_alert_or_beforeunload(kind):
    dialogs = Dialogs()
    harmless = kind in {"alert", "beforeunload"}
    assert dialogs.take(opening(kind)) == handle_dialog(accept=harmless)
    assert dialogs.open is None
    reported = [] if kind == "beforeunload" else [Dialog(kind, "Well?")]
    assert answered_dialogs(dialogs) == reported


def test_declined_beforeunload_keeps_the_page_but_lets_its_pop_up_close():
    dialogs, asks = Dialogs(), Dialog("beforeunload", "Well?")
    with dialogs.left(agreed=False) as stays:
        assert dialogs.dismiss(asks, of_pop_up=True) == handle_dialog(accept=True)
        assert not stays.is_set()
        assert dialogs.dismiss(asks) == handle_dialog(accept=False)
        assert stays.is_set()


def test_an_alert_is_answered_at_once_and_reported(asked):
    assert asked.take(opening("alert", "Saved")) == handle_dialog(accept=True)
    assert answered_dialogs(asked) == [Dialog("alert", "Saved")]
    assert asked.open is None


@pytest.mark.parametrize("kind", ["confirm", "prompt", "beforeunload"])
def test_confirm_prompt_and_beforeunload_stay_open_until_answered(kind, asked):
    assert asked.take(opening(kind, "Sure?", "no")) is None
    assert asked.open == Dialog(kind, "Sure?", "no")
    asked.closed()
    assert asked.open is None


def test_beforeunload_is_accepted_while_leaving_the_page(asked):
    with asked.left():
        assert asked.take(opening("beforeunload")) == handle_dialog(accept=True)
        assert asked.take(opening("confirm")) == handle_dialog(accept=False)
    assert asked.take(opening("beforeunload")) is None


def test_unknown_dialog_kind_is_handled_as_an_alert(asked):
    assert asked.take(opening("new in 2030", "Hi")) == handle_dialog(accept=True)
    assert answered_dialogs(asked) == [Dialog("alert", "Hi")]


def test_repeated_alerts_are_remembered_up_to_a_limit(asked):
    for number in range(LATEST_MAX + 5):
        asked.take(opening("alert", str(number)))
    assert asked.answered.last == LATEST_MAX + 5
    assert len(answered_dialogs(asked)) == LATEST_MAX
    assert answered_dialogs(asked)[-1].message == str(LATEST_MAX + 4)


async def test_wait_for_dialog_returns_for_each_dialog(asked, autojump_clock):
    for _ in range(2):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_dialog, asked)
            await trio.testing.wait_all_tasks_blocked()
            assert len(nursery.child_tasks) == 1
            asked.take(opening("confirm"))
        asked.closed()


@pytest.mark.parametrize("first", ["alert", "confirm"])
async def test_wait_for_dialog_returns_for_a_dialog_that_follows_another(first, asked, nursery):
    if first == "confirm":
        asked.take(opening("confirm"))
        asked.closed()  # by whoever answers it
    received = trio.Event()

    async def wait():
        await wait_for_dialog(asked)
        received.set()

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    if first == "alert":
        asked.take(opening("alert"))
    asked.closed()
    assert not received.is_set()
    asked.take(opening("confirm"))
    await trio.testing.wait_all_tasks_blocked()
    assert received.is_set()
