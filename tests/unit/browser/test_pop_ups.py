"""Pop-ups in a browser that sends the first event as soon as it lets a page run."""

import json

import attrs
import pytest
import trio
import trio.testing

from tabwright.browser.popups import PopupTracker
from tabwright.cdp.connection import CDPConnection
from tabwright.cdp.domains import page
from tabwright.testing.fake.link import FakeLink

COUNT = 12
"""Of pages that are opened: in which order tasks begin is a matter of luck."""


def noted(_):
    """Ignore that a page was opened."""


def dismissed(_):
    return page.handle_dialog(accept=False)


@attrs.define(eq=False, init=False)
class PromptLink(FakeLink):
    """A link whose pages open a dialog as soon as they are allowed to run.

    Attributes:
        connection: receives the event at once, as if its reader ran next.
    """

    connection: CDPConnection

    def send_nowait(self, frame):
        sent, command = super().send_nowait(frame), json.loads(frame)
        if command["method"] == "Runtime.runIfWaitingForDebugger":
            dialog = {"method": page.DialogOpening.method, "sessionId": command["sessionId"]}
            params = {"type": "alert", "message": "Stop"}
            self.connection._take(json.dumps({**dialog, "params": params}).encode())
        return sent


@pytest.fixture
def link():
    return PromptLink()


@pytest.fixture
async def root(link, nursery):
    link.connection = CDPConnection(link)
    nursery.start_soon(link.connection.run)
    return link.connection.root


def opened(link, target_id):
    info = {"targetId": target_id, "type": "page", "openerId": "opener"}
    params = {"sessionId": target_id, "targetInfo": info, "waitingForDebugger": True}
    link.emit(json.dumps({"method": "Target.attachedToTarget", "params": params}).encode())


async def test_first_dialog_of_every_pop_up_is_answered(link, root, nursery, autojump_clock):
    pop_ups = PopupTracker()
    nursery.start_soon(pop_ups.attend, root)
    async with pop_ups.of("opener", noted, dismissed):
        await trio.testing.wait_all_tasks_blocked()
        link.emit(b'{"id":1,"result":{}}')
        await pop_ups.ready()
        for number in range(COUNT):
            opened(link, f"page-{number}")
        await trio.testing.wait_all_tasks_blocked()
        count = link.commands.statistics().current_buffer_used
        sent = [json.loads(link.commands.receive_nowait())["method"] for _ in range(count)]
    assert sent.count("Page.handleJavaScriptDialog") == COUNT
    nursery.cancel_scope.cancel()


@pytest.fixture
async def pop_ups(link, root, nursery):
    """The pop-up tracker of a browser, once it is attached to pages."""
    own = PopupTracker()
    nursery.start_soon(own.attend, root)
    async with own.of("opener", noted, dismissed):
        await trio.testing.wait_all_tasks_blocked()
        link.emit(b'{"id":1,"result":{}}')
        await own.ready()
        yield own


def sent(link):
    count = link.commands.statistics().current_buffer_used
    return [json.loads(link.commands.receive_nowait()) for _ in range(count)]


def answers(link):
    return [one for one in sent(link) if one["method"] == "Page.handleJavaScriptDialog"]


def asks(link, target_id):
    params = {"type": "confirm", "message": "Stop"}
    frame = {"method": page.DialogOpening.method, "sessionId": target_id, "params": params}
    link.emit(json.dumps(frame).encode())


async def test_a_dialog_behind_one_that_had_just_gone_is_answered(link, pop_ups, autojump_clock):
    opened(link, "p")
    await trio.testing.wait_all_tasks_blocked()
    (first,) = answers(link)
    gone = {"code": -32602, "message": "No dialog is showing"}
    link.emit(json.dumps({"id": first["id"], "sessionId": "p", "error": gone}).encode())
    asks(link, "p")
    await trio.testing.wait_all_tasks_blocked()
    assert len(answers(link)) == 1


async def test_taken_over_popup_passes_on_only_later_dialogs(link, pop_ups, autojump_clock):
    opened(link, "p")
    await trio.testing.wait_all_tasks_blocked()
    (first,) = answers(link)
    link.emit(json.dumps({"id": first["id"], "sessionId": "p", "result": {}}).encode())
    await trio.testing.wait_all_tasks_blocked()
    dialog = json.dumps(
        {"method": page.DialogOpening.method, "sessionId": "p"}
        | {"params": {"type": "confirm", "message": "Before"}}
    )
    link.connection._take(dialog.encode())
    session = pop_ups.take("p")
    with session.subscribe(page.DialogOpening) as dialogs:
        asks(link, "p")
        assert (await anext(dialogs)).message == "Stop"
        await trio.testing.wait_all_tasks_blocked()
        assert len(answers(link)) == 1
