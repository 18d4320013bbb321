"""The Runtime domain: scripts."""

from collections.abc import Sequence

from tabwright.cdp.command import Command, present
from tabwright.cdp.wire import JSON, Nothing, Shape

TIMEOUT_MS = 5_000
"""A script of ours that runs longer is terminated by the browser."""


class RemoteObject(Shape, frozen=True):
    """A value, or a handle on one."""

    type: str
    value: object = None
    object_id: str | None = None
    description: str = ""


class ExceptionDetails(Shape, frozen=True):
    """What a script threw."""

    text: str
    exception: RemoteObject | None = None


class Evaluated(Shape, frozen=True):
    """The result of a script, or what it threw."""

    result: RemoteObject
    exception_details: ExceptionDetails | None = None


def evaluate(expression: str, context_id: int | None = None) -> Command[Evaluated]:
    """Runtime.evaluate, by value, awaiting a promise, for at most `TIMEOUT_MS`."""
    return Command(
        "Runtime.evaluate",
        present(
            expression=expression,
            contextId=context_id,
            returnByValue=True,
            awaitPromise=True,
            timeout=TIMEOUT_MS,
        ),
        Evaluated,
    )


def call_function_on(
    function: str,
    context_id: int,
    *,
    object_ids: Sequence[str] = (),
    values: Sequence[JSON] = (),
) -> Command[Evaluated]:
    """Runtime.callFunctionOn in one execution context: handles, then values, as arguments."""
    arguments: list[JSON] = [{"objectId": object_id} for object_id in object_ids]
    arguments += [{"value": value} for value in values]
    return Command(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            "executionContextId": context_id,
            "arguments": arguments,
            "returnByValue": True,
            "awaitPromise": True,
        },
        Evaluated,
    )


def run_if_waiting_for_debugger() -> Command[Nothing]:
    """Runtime.runIfWaitingForDebugger: lets a target go that was held at its start."""
    return Command("Runtime.runIfWaitingForDebugger", {}, Nothing)
