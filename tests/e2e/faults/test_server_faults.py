"""Servers that violate HTTP, all read at the same time, in a real Chromium."""

from functools import partial

import pytest
import trio

from tabwright.protocol.errors import NavigationFailed

pytestmark = [pytest.mark.chromium, pytest.mark.own_browser]

UNREACHED = {
    "/reset": "ERR_CONNECTION_RESET",
    "/close": "ERR_EMPTY_RESPONSE",
    "/garbage": "ERR_INVALID_HTTP_RESPONSE",
    "/header": "ERR_RESPONSE_HEADERS_TOO_BIG",
    "/redirect-loop": "ERR_TOO_MANY_REDIRECTS",
    "/204": "ERR_ABORTED",
    "/401": "ERR_INVALID_AUTH_CREDENTIALS",
    "/429": "429",
}
ASKS = "The page requires a user name and a password."
PARTIAL = {
    "/half": "Unfinished",
    "/half-close": "Unfinished",
    "/drip": "Unfinished",
    "/dead-image": "",
}


async def test_each_kind_of_failed_page_load_has_a_distinct_error(oracle):
    async with oracle(browser__path="chromium") as trial:
        errors = {}

        async def fail(path: str) -> None:
            host = f"{path.strip('/')}.localhost"  # each has a host of its own to be paused
            errors[path] = await trial.refused(partial(trial.browse, path, host))

        async with trio.open_nursery() as nursery:
            for path in UNREACHED:
                nursery.start_soon(fail, path)
    for path, error in errors.items():
        assert isinstance(error, NavigationFailed), path
        assert UNREACHED[path] in error.message
    assert errors["/429"].retryable
    assert errors["/401"].advice == ASKS


async def test_page_with_status_401_fails_with_advice_on_credentials(oracle):
    async with oracle() as trial:
        error = await trial.refused(partial(trial.browse, "/401"))
    assert error.advice == ASKS


async def test_endless_page_is_read_as_received_and_marked_truncated(oracle):
    async with oracle(network__page_timeout_s=10) as trial:
        texts = {}

        async def read(path: str) -> None:
            texts[path] = await trial.browse(path, f"{path.strip('/')}.localhost")

        async with trio.open_nursery() as nursery:
            for path in PARTIAL:
                nursery.start_soon(read, path)
    for path, part in PARTIAL.items():
        assert part in texts[path].text, path
    assert texts["/drip"].truncation.reason == "time_out"
