"""The solvers, by the task that each solves."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from pages import Page

Solver: TypeAlias = Callable[[Page], Awaitable[None]]

SOLVERS: dict[str, Solver] = {}


def solves(*tasks: str) -> Callable[[Solver], Solver]:
    """Register a solver for tasks."""

    def register(solver: Solver) -> Solver:
        for task in tasks:
            SOLVERS[task] = solver
        return solver

    return register
