"""Cases of a test that share its fixtures: many pages for one browser, one after the other."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeAlias

import pytest

AsyncTest: TypeAlias = Callable[..., Awaitable[None]]


def cases(names: str | Sequence[str], values: Iterable[Any]) -> Callable[[AsyncTest], AsyncTest]:
    """Run a test for each case, as `pytest.mark.parametrize` does, but with the same fixtures.

    A case that fails is reported as a subtest, and the others run. It is for cases that each load
    their own page: to open another browser context for each takes longer than the case itself.

    Args:
        names: the arguments that differ.
        values: those of each case: a tuple, or with one name the value itself.
    """
    if isinstance(names, str):
        each = [{names: case} for case in values]
    else:
        each = [dict(zip(names, case, strict=True)) for case in values]

    def decorate(test: AsyncTest) -> AsyncTest:
        @wraps(test)
        async def run(subtests: pytest.Subtests, **fixtures: object) -> None:
            for arguments in each:
                with subtests.test(repr(arguments)):
                    await test(**fixtures, **arguments)

        others = [one for one in signature(test).parameters.values() if one.name not in each[0]]
        asked = Parameter("subtests", Parameter.KEYWORD_ONLY)
        shown = [one.replace(kind=Parameter.KEYWORD_ONLY) for one in others]
        vars(run)["__signature__"] = signature(test).replace(parameters=[*shown, asked])
        return run

    return decorate
