"""Pages that pages open, from a browser that says the first thing as soon as it lets one run."""

import json

import attrs
import pytest
import trio
import trio.testing

from tabwright.actors.tabs.pop_ups import PopUps
from tabwright.cdp.connection import Connection
from tabwright.cdp.domains import page
from tabwright.testing.fake.link import FakeLink

COUNT = 12
"""Of pages that are opened: in which order tasks begin is a matter of luck."""


@attrs.define(eq=False, init=False)
class PromptLink(FakeLink):
    """Has a page open a dialog in the moment in which it is told to run.

    Attributes:
        connection: hears of it at once, as a reader does whose turn is the next one.
    """

    connection: Connection

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
    link.connection = Connection(link)
    nursery.start_soon(link.connection.run)
    return link.connection.root


def opened(link, target_id):
    info = {"targetId": target_id, "type": "page", "openerId": "opener"}
    params = {"sessionId": target_id, "targetInfo": info, "waitingForDebugger": True}
    link.emit(json.dumps({"method": "Target.attachedToTarget", "params": params}).encode())


async def test_the_first_dialog_of_a_page_is_never_missed(link, root, nursery, autojump_clock):
    pop_ups = PopUps()
    nursery.start_soon(pop_ups.attend, root)
    async with pop_ups.of("opener", lambda _: page.handle_dialog(accept=False)):
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
