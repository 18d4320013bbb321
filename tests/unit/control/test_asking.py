"""How the control client handles answers, errors and invalid replies."""

import json

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from tabwright.concurrency.nursery import background_nursery
from tabwright.control.client import ask
from tabwright.control.transport import AnswerRequest, ServerSocket, ServerStatus
from tabwright.protocol.errors import (
    BadInput,
    BrowserUnavailable,
    MarkupChanged,
    TabsBusy,
    TabwrightError,
    Unanswered,
    Undelivered,
)
from tabwright.protocol.interventions import Intervention

Queue = tuple[Intervention, ...]


async def test_control_responses_decode_to_the_values_that_were_sent(
    tabwright, serve_client
) -> None:
    async with serve_client(tabwright) as server:
        assert await ask(server, "interventions", Queue) == tabwright.parts.queue
        request = AnswerRequest("7f3a", "solved")
        assert (await ask(server, "answer", Intervention, request)).held
        standing = await ask(server, "pool", ServerStatus)
        assert standing.pool.tabs[0].purpose == "mojeek"
        assert standing.rates == await tabwright.rates()
        assert await ask(server, "reset_back_off", type(None)) is None
    assert tabwright.answered == [("7f3a", "solved")]


@pytest.mark.parametrize("kind", [BadInput, BrowserUnavailable, TabsBusy, Unanswered])
async def test_control_error_is_raised_with_its_original_type_and_text(
    kind, tabwright, serve_client
) -> None:
    def gate() -> None:
        raise kind("It is so.", advice="Do this.", retryable=True)

    tabwright.gate = gate
    async with serve_client(tabwright) as server:
        with pytest.raises(kind) as caught:
            await ask(server, "pool", ServerStatus)
    assert type(caught.value) is kind
    assert caught.value.retryable
    assert str(caught.value) == "It is so. Do this."


async def test_unexpected_server_error_keeps_its_message(tabwright, serve_client) -> None:
    def gate() -> None:
        raise MarkupChanged("No list.")

    tabwright.gate = gate
    async with serve_client(tabwright) as server:
        with pytest.raises(TabwrightError, match=r"No list\.") as caught:
            await ask(server, "pool", ServerStatus)
    assert type(caught.value) is TabwrightError


async def test_unknown_control_method_is_reported_with_advice_to_restart(
    tabwright, serve_client
) -> None:
    async with serve_client(tabwright) as server:
        with pytest.raises(Unanswered, match=r"There are interventions.*restart it"):
            await ask(server, "fly", type(None))


async def test_request_to_a_server_that_has_ended_is_undelivered(tabwright, serve_client) -> None:
    async with serve_client(tabwright) as server:
        pass
    with pytest.raises(Undelivered, match=f"Server {server.pid} has just ended"):
        await ask(server, "pool", ServerStatus)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"", "closed the connection"),
        (b'{"jsonrpc":"2.0","id":1,"result":', "closed the connection"),
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "invalid response"),
        (b'{"jsonrpc":"2.0","id":1}\n', "invalid response"),
        (b'{"jsonrpc":"2.0","id":1,"result":[]}\n', "invalid response"),
        (b'{"jsonrpc":"2.0","id":"\xff","result":[]}\n', "invalid response"),
        (b'{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}\n', "not JSON"),
    ],
)
async def test_invalid_server_response_raises_unanswered(
    answer: bytes, says: str, runtime_folder
) -> None:
    async def speak(stream: trio.SocketStream) -> None:
        line = b""
        while not line.endswith(b"\n"):
            line += await stream.receive_some()
        assert json.loads(line)["method"] == "pool"
        await stream.send_all(answer)

    place = runtime_folder / "4711.sock"
    with trio.socket.socket(trio.socket.AF_UNIX) as listening:
        await listening.bind(str(place))
        listening.listen()
        async with background_nursery() as nursery:
            nursery.start_soon(trio.serve_listeners, speak, [trio.SocketListener(listening)])
            await wait_all_tasks_blocked()
            with pytest.raises(Unanswered, match=f"Server 4711 .*{says}"):
                await ask(ServerSocket(4711, place), "pool", ServerStatus)
