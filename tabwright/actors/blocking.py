"""A page that does without some of its requests."""

from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import trio

from tabwright.cdp.command import Command
from tabwright.cdp.domains import fetch
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.session import Session
from tabwright.cdp.wire import JSON, Nothing
from tabwright.config.blocking import BlockRules


async def keep_blocking(
    session: Session,
    rules: BlockRules,
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Has the browser hold what may be blocked, and answers for it, until the page is gone.

    It is started once no request can slip through. Cancellation leaves held requests to their
    page's end.

    Raises:
        CDPError: the page is gone.
    """
    with session.subscribe(fetch.RequestPaused) as held:
        await session.execute(fetch.enable(_patterns(rules)))
        task_status.started()
        async for request in held:
            with suppress(CommandFailed):  # the page has given the request up meanwhile
                await session.execute(_answer(request, rules))


def _patterns(rules: BlockRules) -> Iterator[JSON]:
    """Wide enough for the rules, which then judge by the host itself."""
    yield from (fetch.pattern(resource_type=name) for name in sorted(rules.types))
    yield from (fetch.pattern(url=f"*{host}*") for host in sorted(rules.hosts))


def _answer(held: fetch.RequestPaused, rules: BlockRules) -> Command[Nothing]:
    host = urlsplit(held.request.url).hostname or ""
    if rules.block(host, held.resource_type):
        return fetch.fail_request(held.request_id)
    return fetch.continue_request(held.request_id)
