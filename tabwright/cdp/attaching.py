"""Keeping the pop-ups of a browser, or the out-of-process frames of a page, attached and running.

A target that is attached as it starts is held until it is told to run, so that nothing of it is
missed. It must be told without waiting: while it is held, it may not answer any other command,
its opener hangs, and the page around it never loads.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TypeAlias

import trio

from tabwright.cdp.domains import inspector, network, page, runtime
from tabwright.cdp.domains.target import AttachedToTarget
from tabwright.cdp.errors import CDPError, Gone
from tabwright.cdp.session import CDPSession, Subscription
from tabwright.cdp.wire import CDPCommand, Nothing

Welcome: TypeAlias = Callable[[AttachedToTarget, CDPSession], Sequence[CDPCommand[Nothing]]]
"""Told of each new target before it runs; gives the commands to send to it first.

It may subscribe to the session's events, itself and not by a task of its own, whose turn may come
after the first of them; and it must not wait. `target.auto_attach_frames` among the
commands keeps the target's own frames attached too: they are welcomed like the rest.
"""

NEW_PAGE = (
    inspector.enable(),
    page.enable(),
    page.set_lifecycle_events_enabled(),
    network.enable(),
)
"""What every page is told before anything else."""


async def keep_attached(
    session: CDPSession,
    auto_attach: CDPCommand[Nothing],
    welcome: Welcome,
    begun: Callable[[], None] | None = None,
) -> None:
    """Has targets attached as they come, and lets each run once it is welcomed.

    Runs until it is cancelled or `session` ends. Cancellation leaves what is attached as it is,
    and what comes later is held: cancel it with the page or the browser, not before.

    Args:
        session: the browser's root for pop-ups, a page for its frames.
        auto_attach: `target.auto_attach_pages` or `target.auto_attach_frames`. For the browser it
            attaches to every new page; one that another page opened has an ``opener_id``.
        welcome: told of each. What we attach to by hand is among them.
        begun: told once nothing is missed any more.

    Raises:
        CDPError: `auto_attach` failed.
    """
    with session.subscribe(AttachedToTarget) as arrivals:
        await session.execute(auto_attach)
        if begun is not None:
            begun()
        await _attend(arrivals, session, welcome)


async def _attend(
    arrivals: Subscription[AttachedToTarget], session: CDPSession, welcome: Welcome
) -> None:
    async with trio.open_nursery() as nursery:
        with suppress(Gone):
            async for arrival in arrivals:
                child = session.connection.session(arrival.session_id)
                opening = (*welcome(arrival, child), runtime.run_if_waiting_for_debugger())
                nursery.start_soon(_let_run, child, opening, welcome)
        nursery.cancel_scope.cancel()


async def _let_run(
    child: CDPSession, opening: Sequence[CDPCommand[Nothing]], welcome: Welcome
) -> None:
    # It may be gone by now, which its session tells whoever asks.
    with suppress(CDPError), child.subscribe(AttachedToTarget) as arrivals:
        await child.execute_all(opening)
        await _attend(arrivals, child, welcome)
