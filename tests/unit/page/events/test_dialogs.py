"""What becomes of a page's dialogs."""

import pytest
import trio
import trio.testing

from tabwright.cdp.domains.page import DialogOpening, handle_dialog
from tabwright.page.events.dialogs import REMEMBERED_MAX, Dialogs
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
def test_where_nobody_acts_the_answer_is_no_but_a_page_may_be_left(kind):
    dialogs = Dialogs()
    harmless = kind in {"alert", "beforeunload"}
    assert dialogs.take(opening(kind)) == handle_dialog(accept=harmless)
    assert dialogs.open is None
    reported = [] if kind == "beforeunload" else [Dialog(kind, "Well?")]
    assert answered_dialogs(dialogs) == reported


def test_page_that_stays_answers_no_and_its_pop_up_is_left_all_the_same():
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
def test_a_question_waits_for_whoever_acts(kind, asked):
    assert asked.take(opening(kind, "Sure?", "no")) is None
    assert asked.open == Dialog(kind, "Sure?", "no")
    asked.closed()
    assert asked.open is None


def test_a_page_that_we_leave_may_be_left(asked):
    with asked.left():
        assert asked.take(opening("beforeunload")) == handle_dialog(accept=True)
        assert asked.take(opening("confirm")) == handle_dialog(accept=False)
    assert asked.take(opening("beforeunload")) is None


def test_a_kind_that_nobody_knows_is_an_alert(asked):
    assert asked.take(opening("new in 2030", "Hi")) == handle_dialog(accept=True)
    assert answered_dialogs(asked) == [Dialog("alert", "Hi")]


def test_alerts_in_a_loop_are_not_remembered_without_end(asked):
    for number in range(REMEMBERED_MAX + 5):
        asked.take(opening("alert", str(number)))
    assert asked.answered.last == REMEMBERED_MAX + 5
    assert len(answered_dialogs(asked)) == REMEMBERED_MAX
    assert answered_dialogs(asked)[-1].message == str(REMEMBERED_MAX + 4)


async def test_who_waits_for_a_dialog_hears_of_each(asked, autojump_clock):
    for _ in range(2):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(wait_for_dialog, asked)
            await trio.testing.wait_all_tasks_blocked()
            assert len(nursery.child_tasks) == 1
            asked.take(opening("confirm"))
        asked.closed()


@pytest.mark.parametrize("first", ["alert", "confirm"])
async def test_who_waits_hears_of_a_dialog_behind_another(first, asked, nursery):
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
