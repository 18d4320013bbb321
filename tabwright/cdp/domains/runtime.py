"""The Runtime domain: scripts."""

from collections.abc import Iterator, Sequence

from tabwright.cdp.wire import JSON, CDPCommand, Event, Nothing, Raw, Shape, present

TIMEOUT_MS = 5_000
"""The browser terminates our scripts after this many milliseconds."""

RESULTS = "results"
"""The group of the handles that the scripts of a user return, for `release_objects`."""


class RemoteObject(Shape, frozen=True):
    """A value, or a handle to an object."""

    type: str
    value: object = None
    object_id: str | None = None
    description: str = ""


class ExceptionDetails(Shape, frozen=True):
    """An error that a script threw."""

    text: str
    exception: RemoteObject | None = None

    @property
    def what(self) -> str:
        """Return the error with its stack, or the value that was thrown."""
        if self.exception is None:
            return self.text
        value = self.exception.value
        return self.exception.description or (value if isinstance(value, str) else self.text)


class Evaluated(Shape, frozen=True):
    """The result of a script, or its error."""

    result: RemoteObject
    exception_details: ExceptionDetails | None = None


class SerializedNode(Shape, frozen=True):
    """A node of a list, or a shadow root, whose `mode` is ``open`` or ``closed``."""

    backend_node_id: int = 0
    mode: str = ""
    shadow_root: "SerializedItem | None" = None


class SerializedItem(Shape, frozen=True):
    """An item of a list: a number or a node."""

    value: int | SerializedNode


class SerializedItems(Shape, frozen=True):
    """The items of a list."""

    value: tuple[SerializedItem, ...]

    def closed_roots(self) -> Iterator[int]:
        """Yield the backend ids of the closed shadow roots of its nodes."""
        for node in (one.value for one in self.value):
            if isinstance(node, SerializedNode) and node.shadow_root is not None:
                root = node.shadow_root.value
                if isinstance(root, SerializedNode) and root.mode == "closed":
                    yield root.backend_node_id


class SerializedList(Shape, frozen=True):
    """A list, and a handle on it; a browser that cannot serialize nodes returns no items."""

    object_id: str = ""
    deep_serialized_value: SerializedItems | None = None


class ListReturned(Shape, frozen=True):
    """The list that a script returned, or its error."""

    result: SerializedList
    exception_details: ExceptionDetails | None = None


class PropertyPreview(Shape, frozen=True):
    """A property in a preview; `value` is shortened, and empty for an accessor."""

    name: str
    type: str
    value: str = ""
    value_preview: "ObjectPreview | None" = None


class EntryPreview(Shape, frozen=True):
    """An entry of a map, or of a set, where `key` is None."""

    value: "ObjectPreview"
    key: "ObjectPreview | None" = None


class ObjectPreview(Shape, frozen=True):
    """The first properties and entries of an object; `overflow` says that it has more.

    Of a value that is not an object, `description` is the value.
    """

    type: str
    subtype: str = ""
    description: str = ""
    overflow: bool = False
    properties: tuple[PropertyPreview, ...] = ()
    entries: tuple[EntryPreview, ...] = ()


class Argument(Shape, frozen=True):
    """A value that a page's script logged to the console, or threw.

    Messages logged before the domain was enabled have no preview.
    """

    type: str
    subtype: str = ""
    value: object = None
    description: str = ""
    preview: ObjectPreview | None = None


class CallFrame(Shape, frozen=True):
    """A position in a script; lines and columns are counted from 0."""

    url: str = ""
    line_number: int = 0
    column_number: int = 0
    function_name: str = ""


class StackTrace(Shape, frozen=True):
    """A call stack, innermost call first."""

    call_frames: tuple[CallFrame, ...] = ()


class ConsoleCalled(Event, frozen=True):
    """A script called the console; `type` is ``log``, ``error``, ``warning`` and so on."""

    method = "Runtime.consoleAPICalled"
    type: str
    args: tuple[Argument, ...] = ()
    stack_trace: StackTrace | None = None


class ThrownDetails(Shape, frozen=True):
    """A thrown error and its position."""

    text: str
    exception: Argument | None = None
    url: str = ""
    line_number: int = 0
    stack_trace: StackTrace | None = None


class ExceptionThrown(Event, frozen=True):
    """A script of the page threw an uncaught error."""

    method = "Runtime.exceptionThrown"
    exception_details: ThrownDetails


class Property(Shape, frozen=True):
    """A property of an object, by its name; `value` is a handle if it is an object."""

    name: str
    value: RemoteObject | None = None


class Properties(Shape, frozen=True):
    """The own properties of an object."""

    result: tuple[Property, ...]


class RawEvaluated(Shape, frozen=True):
    """The unparsed result of a script, or its error."""

    result: "RawResult"
    exception_details: ExceptionDetails | None = None


class RawResult(Shape, frozen=True):
    """A value as JSON, or a handle of it; a value that is not JSON-able is only described."""

    type: str
    object_id: str = ""
    value: Raw = Raw(b"null")
    unserializable_value: str = ""
    description: str = ""


def enable() -> CDPCommand[Nothing]:
    """Runtime.enable: report console calls and uncaught errors."""
    return CDPCommand("Runtime.enable", {}, Nothing)


def get_properties(object_id: str) -> CDPCommand[Properties]:
    """Runtime.getProperties: own properties, without accessors."""
    return CDPCommand(
        "Runtime.getProperties",
        {"objectId": object_id, "ownProperties": True, "accessorPropertiesOnly": False},
        Properties,
    )


def evaluate_for(
    expression: str, timeout_ms: int, *, as_console: bool = False
) -> CDPCommand[RawEvaluated]:
    """Runtime.evaluate in the page's own world, awaiting a promise; an object is a handle.

    Args:
        expression: the script.
        timeout_ms: the time limit of the script, without the wait for a promise.
        as_console: whether top-level ``await`` and repeated ``const`` are allowed; a resulting
            promise is then not awaited.
    """
    return CDPCommand(
        "Runtime.evaluate",
        {
            "expression": expression,
            "objectGroup": RESULTS,
            "awaitPromise": True,
            "userGesture": True,
            "replMode": as_console,
            "timeout": timeout_ms,
        },
        RawEvaluated,
    )


def call_on(
    function: str, object_ids: Sequence[str], *, by_value: bool = True
) -> CDPCommand[RawEvaluated]:
    """Runtime.callFunctionOn with objects as arguments, the first as ``this`` too.

    With `by_value` an object is returned as a value, otherwise as a handle.
    """
    return CDPCommand(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            "objectId": object_ids[0],
            "arguments": [{"objectId": object_id} for object_id in object_ids],
            "objectGroup": RESULTS,
            "returnByValue": by_value,
            "awaitPromise": True,
            "userGesture": True,
        },
        RawEvaluated,
    )


def terminate_execution() -> CDPCommand[Nothing]:
    """Runtime.terminateExecution: stop a script that does not end."""
    return CDPCommand("Runtime.terminateExecution", {}, Nothing)


def evaluate(expression: str, context_id: int | None = None) -> CDPCommand[Evaluated]:
    """Runtime.evaluate, by value, awaiting a promise, for at most `TIMEOUT_MS`."""
    return CDPCommand(
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


def document_handle() -> CDPCommand[Evaluated]:
    """Runtime.evaluate: a handle on the document, which no script of a page can shadow.

    It is a property of the window that cannot be redefined (HTML, [LegacyUnforgeable]).
    """
    return CDPCommand("Runtime.evaluate", {"expression": "document"}, Evaluated)


def call_function_on(
    function: str,
    place: int | str,
    *,
    object_ids: Sequence[str] = (),
    values: Sequence[JSON] = (),
    by_value: bool = True,
) -> CDPCommand[Evaluated]:
    """Runtime.callFunctionOn: handles, then values, as arguments.

    With `by_value` the result is a value, otherwise a handle. The place is the id of an execution
    context, or a handle on the object that is ``this``. Only a handle is of one document for
    certain: another process numbers its contexts again.
    """
    arguments: list[JSON] = [{"objectId": object_id} for object_id in object_ids]
    arguments += [{"value": value} for value in values]
    return CDPCommand(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            **_called_in(place),
            "arguments": arguments,
            "returnByValue": by_value,
            "awaitPromise": True,
        },
        Evaluated,
    )


def _called_in(place: int | str) -> dict[str, JSON]:
    return {"executionContextId": place} if isinstance(place, int) else {"objectId": place}


def list_nodes(
    function: str, place: int | str, *, group: str, object_ids: Sequence[str] = ()
) -> CDPCommand[ListReturned]:
    """Runtime.callFunctionOn, for a list of numbers and of nodes with their shadow roots.

    The handle of the list is in the `group`; for `place` see `call_function_on`.
    """
    return CDPCommand(
        "Runtime.callFunctionOn",
        {
            "functionDeclaration": function,
            **_called_in(place),
            "arguments": [{"objectId": object_id} for object_id in object_ids],
            "objectGroup": group,
            "serializationOptions": {
                "serialization": "deep",
                "additionalParameters": {"maxNodeDepth": 0, "includeShadowTree": "all"},
            },
        },
        ListReturned,
    )


def release_objects(group: str) -> CDPCommand[Nothing]:
    """Runtime.releaseObjectGroup: release all handles of a group."""
    return CDPCommand("Runtime.releaseObjectGroup", {"objectGroup": group}, Nothing)


def run_if_waiting_for_debugger() -> CDPCommand[Nothing]:
    """Runtime.runIfWaitingForDebugger: continue a target that was paused at its start."""
    return CDPCommand("Runtime.runIfWaitingForDebugger", {}, Nothing)
