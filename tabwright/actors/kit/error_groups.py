"""Errors that leave a nursery arrive in groups; these take them apart."""

from typing import TypeGuard


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
