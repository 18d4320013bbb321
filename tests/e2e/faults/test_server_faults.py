"""Servers that break every promise of HTTP, all at the same time. In a real Chromium."""

from functools import partial

import pytest
import trio

from tabwright.protocol.errors import NavigationFailed

pytestmark = pytest.mark.chromium

UNREACHED = {
    "/reset": "ERR_CONNECTION_RESET",
    "/close": "ERR_EMPTY_RESPONSE",
    "/garbage": "ERR_INVALID_HTTP_RESPONSE",
    "/header": "ERR_RESPONSE_HEADERS_TOO_BIG",
    "/redirect-loop": "ERR_TOO_MANY_REDIRECTS",
    "/204": "ERR_ABORTED",
    "/401": "",  # some browsers show what comes with it, others show nothing
    "/429": "429",
}
PARTIAL = {
    "/half": "Unfinished",
    "/half-close": "Unfinished",
    "/drip": "Unfinished",
    "/dead-image": "",
}


async def test_each_way_in_which_no_page_comes_is_told_apart(oracle):
    async with oracle() as trial:
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
    assert errors["/401"].advice == "The page asks for a user name and a password."


async def test_of_a_page_that_never_ends_what_came_is_read_and_said_to_be_cut(oracle):
    async with oracle(network__page_timeout_s=4) as trial:
        texts = {}

        async def read(path: str) -> None:
            texts[path] = await trial.browse(path, f"{path.strip('/')}.localhost")

        async with trio.open_nursery() as nursery:
            for path in PARTIAL:
                nursery.start_soon(read, path)
    for path, part in PARTIAL.items():
        assert part in texts[path].text, path
    assert texts["/drip"].truncation.reason == "time_out"
