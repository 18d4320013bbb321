"""A nursery for tasks that serve the code in its body."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import trio


@asynccontextmanager
async def open_background() -> AsyncGenerator[trio.Nursery]:
    """A nursery whose tasks are cancelled when the body ends, well or badly.

    An error of the body leaves it as it is: callers need not know that there is a nursery. Only
    when a task failed as well do both leave together, in an `ExceptionGroup`.
    """
    failure: BaseException | None = None
    try:
        async with trio.open_nursery() as nursery:
            try:
                yield nursery
            finally:
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        failure = _sole(group)
    if failure is not None:
        raise failure  # out of the except block, so that its own context stays


def _sole(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """What remains of `group` when it is about one error; cancellations beside it do not count."""
    errors = [error for error in group.exceptions if not isinstance(error, trio.Cancelled)]
    match errors or group.exceptions[:1]:
        case [error]:
            return error
        case _:
            return group
