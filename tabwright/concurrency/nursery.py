"""Background tasks, errors that leave nurseries in groups, and observers that may fail."""

from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeGuard, TypeVar

import trio


@asynccontextmanager
async def background_nursery() -> AsyncGenerator[trio.Nursery]:
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
    _, errors = group.split(trio.Cancelled)
    match errors.exceptions if errors else group.exceptions[:1]:
        case [error]:
            return error
        case _:
            return group


# Taking exception groups apart.


def split_crash(error: BaseException) -> tuple[Exception | None, BaseException | None]:
    """The part of `error` that is a crash, and the part (a cancellation) that must go on.

    A crash that races a stop arrives as both in one group, which ``except Exception`` misses.
    """
    if _is_group(error):
        return error.split(Exception)
    return (error, None) if isinstance(error, Exception) else (None, error)


def sole_error(error: BaseException) -> BaseException:
    """The only error inside nested groups; `error` itself where there are several, or no group."""
    while _is_group(error) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def one_of_a_kind(error: BaseException, kind: type[Exception]) -> BaseException:
    """One error inside nested groups where all there are of a kind; `error` itself otherwise."""
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
    """A progress for the block that never raises where it is called, in the midst of an actor.

    Raises:
        Exception: what `progress` raised first; the block is cancelled then.
    """
    failure: Exception | None = None
    block = trio.CancelScope()

    def isolated(step: StepT) -> None:
        """`progress`, up to its first error; never raises."""
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
