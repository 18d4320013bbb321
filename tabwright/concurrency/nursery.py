"""Background tasks, errors that leave nurseries in groups, and observers that may fail."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeGuard, TypeVar

import trio

from tabwright.protocol.actor import Expiry


@asynccontextmanager
async def background_nursery() -> AsyncGenerator[trio.Nursery]:
    """Open a nursery whose tasks are cancelled when the body ends or fails.

    An error of the body is raised unchanged: callers need not know that there is a nursery. Only if
    a task failed as well are both raised, in an `ExceptionGroup`.
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


async def wait_for_either(one: Expiry, other: Expiry) -> None:
    """Wait for the first of two conditions, for example events."""
    async with trio.open_nursery() as nursery:

        async def watch(condition: Expiry) -> None:
            await condition.wait()
            nursery.cancel_scope.cancel()

        nursery.start_soon(watch, one)
        nursery.start_soon(watch, other)


@asynccontextmanager
async def until(condition: Expiry) -> AsyncGenerator[trio.CancelScope]:
    """Open a scope that is cancelled once a condition holds, for example an event is set."""
    async with background_nursery() as watching:
        scope = trio.CancelScope()

        async def watch() -> None:
            await condition.wait()
            scope.cancel()

        watching.start_soon(watch)
        yield scope


@asynccontextmanager
async def shielded(note: Callable[[trio.CancelScope], object]) -> AsyncGenerator[None]:
    """Shield the block from the cancellation of its caller, which is reported to it instead.

    Args:
        note: is called with the scope of the block once the caller is cancelled, or at the end of
            the block; must not block.
    """
    scope = trio.CancelScope(shield=True)

    async def note_cancellation() -> None:
        try:
            await trio.sleep_forever()
        finally:
            note(scope)

    async with background_nursery() as outside:
        outside.start_soon(note_cancellation)
        with scope:
            yield


def _sole(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the single error in `group`, ignoring cancellations; otherwise `group`."""
    _, errors = group.split(trio.Cancelled)
    match errors.exceptions if errors else group.exceptions[:1]:
        case [error]:
            return error
        case _:
            return group


# Taking exception groups apart.


def split_crash(error: BaseException) -> tuple[Exception | None, BaseException | None]:
    """Split `error` into the crash, and the rest (a cancellation) that must be re-raised.

    A crash that races a stop arrives as both in one group, which ``except Exception`` misses.
    """
    if _is_group(error):
        return error.split(Exception)
    return (error, None) if isinstance(error, Exception) else (None, error)


def sole_error(error: BaseException) -> BaseException:
    """Return the only error inside nested groups; `error` itself if there is no single one."""
    while _is_group(error) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def one_of_a_kind(error: BaseException, kind: type[Exception]) -> BaseException:
    """Return one error inside nested groups if all are of the kind; `error` itself otherwise."""
    if not _is_group(error) or error.split(kind)[1] is not None:
        return error
    while _is_group(error):
        error = error.exceptions[0]
    return error


def _is_group(error: BaseException) -> TypeGuard[BaseExceptionGroup[BaseException]]:
    return isinstance(error, BaseExceptionGroup)


# Observers of a search or a task, whose code may fail.

StepT = TypeVar("StepT")


@contextmanager
def isolate_callback(progress: Callable[[StepT], None]) -> Generator[Callable[[StepT], None]]:
    """Yield a callback for the block that never raises in the actor that calls it.

    Raises:
        Exception: the first error of `progress`; the block is cancelled then.
    """
    failure: Exception | None = None
    block = trio.CancelScope()

    def isolated(step: StepT) -> None:
        """Call `progress` until its first error; never raises."""
        nonlocal failure
        if failure is None:
            try:
                progress(step)
            except Exception as error:  # noqa: BLE001  (raised at the end of the block)
                failure = error
                block.cancel()

    with block:
        yield isolated
    if failure is not None:
        raise failure
