"""Tools that act on a page, such as ``click`` and ``type``; each follows from its action."""

from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import ELEMENT, RARE, JSONObject, object_schema
from tabwright.mcp.page_results import outcome_result
from tabwright.mcp.tool import ACTS, AnyTool, Tool, ToolAnnotations, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import COUNTS, TabArguments
from tabwright.protocol.actions import ACTIONS, Action, Outcome, SelectOption, SimpleAction, Upload
from tabwright.protocol.declarations import Declaration, Parameter, declared_fields
from tabwright.protocol.inspection import ListOptions
from tabwright.protocol.untrusted_text import plain

ActionT_co = TypeVar("ActionT_co", bound=SimpleAction, covariant=True)

OUTCOME_FIELDS: JSONObject = {
    "description": {"type": "string", "description": "What was done."},
    "url": {"type": "string"},
    "title": {"type": "string"},
    "status": {"type": "integer", "description": "HTTP status, if the page navigated."},
    "changes": {"type": "string", "description": "Outline lines that were added or removed."},
    "dialog": {"type": "object", "description": "Dialog that is waiting for an answer."},
    "dialogs": {"type": "array", "items": {"type": "object"}},
    "tabs": {
        "type": "array",
        "items": {"type": "object"},
        "description": "Tabs that the action opened.",
    },
    "downloads": {"type": "array", "items": {"type": "object"}},
    "errors": {"type": "array", "items": {"type": "object"}},
    "console": COUNTS,
    "value_check": {
        "type": "string",
        "enum": ["matches", "differs", "unknown"],
        "description": "Whether each field holds the value written to it.",
    },
    "steps": {"type": "object", "description": "For run: done, failed and variables."},
    "script": {"type": "object", "description": "End of the script that a dialog interrupted."},
    "busy": {"type": "boolean", "description": "Whether the page was still changing."},
    "meanwhile": {
        "type": "object",
        "description": "The same for earlier changes that were not reported yet.",
    },
}

OUTCOME = object_schema(OUTCOME_FIELDS, required=["description", "url", "title"])
"""The record of an action. Empty fields are left out."""


# From an action to its tool.


@attrs.frozen(kw_only=True)
class ActArguments(TabArguments, Generic[ActionT_co]):
    """Arguments of a tool that performs an action: the tab, and the fields of the action.

    Attributes:
        kind: the type of the action.
    """

    kind: ClassVar[type[Any]]

    def request(self) -> ActionT_co:
        """Return the action.

        Raises:
            BadInput: the arguments do not fit each other.
        """
        names = (field.name for field in attrs.fields(self.kind))
        request: ActionT_co = self.kind(**{name: getattr(self, name) for name in names})
        return request


def arguments_of(kind: type[SimpleAction]) -> type[ActArguments[SimpleAction]]:
    """Return the arguments of the tool for an action."""
    fields = {
        name: attrs.field(type=field.annotated(_metadata(field.parameter)), default=field.default)
        for name, field in declared_fields(kind).items()
    }
    name, body = f"{kind.__name__}Arguments", {"kind": kind}
    return attrs.make_class(name, fields, (ActArguments,), body, frozen=True, kw_only=True)


def _metadata(parameter: Parameter) -> Meta:
    """Return the metadata for the JSON schema of an argument."""
    bounds = {
        "ge": parameter.ge,
        "gt": parameter.gt,
        "le": parameter.le,
        "max_length": parameter.length_max,
    }
    meta: dict[str, Any] = {name: bound for name, bound in bounds.items() if bound is not None}
    if parameter.description:
        meta["description"] = parameter.description
    marks = {**(RARE if parameter.rare else {}), **(ELEMENT if parameter.element else {})}
    return Meta(**meta, extra_json_schema=marks)


async def perform(action: Action, where: TabArguments, context: ToolContext) -> Outcome:
    """Perform an action in a tab."""
    return await context.tabwright.session(where.session).act(
        action, tab=where.tab, progress=context.on_progress
    )


async def act(arguments: ActArguments[SimpleAction], context: ToolContext) -> ToolResult:
    """Perform the action of the arguments."""
    outcome = await perform(arguments.request(), arguments, context)
    return outcome_result(outcome, context.names)


async def select(arguments: ActArguments[SelectOption], context: ToolContext) -> ToolResult:
    """Select options of a list, or list its options if no values are given."""
    action = arguments.request()
    if action.values is not None:
        return await act(arguments, context)
    from tabwright.page.render import options_parts  # noqa: PLC0415  (heavy)

    listed = await context.tabwright.session(arguments.session).inspect(
        ListOptions(action.ref), tab=arguments.tab
    )
    budget = (await context.settings(arguments)).reading.outline_tokens_max
    parts = options_parts(listed, budget)
    return ToolResult(parts, {"description": plain(parts), "url": "", "title": ""})


async def upload(arguments: ActArguments[Upload], context: ToolContext) -> ToolResult:
    """Choose files for a file field or an upload button, or a folder for a folder field."""
    return await choose_files(arguments.request(), arguments, context)


async def choose_files(action: Upload, where: TabArguments, context: ToolContext) -> ToolResult:
    """Perform an upload whose paths were not checked yet.

    Raises:
        BadInput: a file cannot be uploaded.
    """
    from tabwright.page.upload_paths import allowed_path  # noqa: PLC0415  (heavy)

    settings = context.tabwright.settings
    paths = tuple(allowed_path(path, settings, folders=True) for path in action.paths)
    outcome = await perform(attrs.evolve(action, paths=paths), where, context)
    return outcome_result(outcome, context.names)


HANDLERS: Mapping[type[SimpleAction], Callable[[Any, ToolContext], Awaitable[ToolResult]]] = {
    SelectOption: select,
    Upload: upload,
}
"""The handlers of the tools that do more than to perform their action."""


def action_tool(kind: type[SimpleAction], declared: Declaration) -> AnyTool:
    """Return the tool of an action."""
    return Tool(
        name=declared.name,
        description=declared.description,
        group=declared.group,
        annotations=ToolAnnotations(
            read_only=declared.read_only,
            destructive=declared.destructive,
            idempotent=declared.idempotent,
        ),
        arguments=arguments_of(kind),
        handler=HANDLERS.get(kind, act),
        output_schema=OUTCOME,
    )


ACTION_TOOLS: Mapping[type[SimpleAction], AnyTool] = {
    kind: action_tool(kind, kind.declared) for kind in ACTIONS if kind.declared
}
"""The tools that are derived from actions."""

# The actions of the mouse and of fingers have one tool.

POINTER_ACTIONS: Mapping[str, AnyTool] = {
    tool.name: tool for tool in ACTION_TOOLS.values() if tool.group == "mouse"
}


def pointer_arguments() -> type[TabArguments]:
    """Return the arguments of `pointer`: the action, and the fields of all actions."""
    texts = (f"{name}: {tool.description}" for name, tool in POINTER_ACTIONS.items())
    choice: Any = Annotated[Literal[tuple(POINTER_ACTIONS)], Meta(description=" ".join(texts))]
    fields: dict[str, Any] = {"action": attrs.field(type=choice)}
    for name, tool in POINTER_ACTIONS.items():
        for key, field in declared_fields(tool.arguments.kind).items():
            having = [other for other, one in POINTER_ACTIONS.items() if key in _fields(one)]
            text = field.parameter.description
            own = f"For {name}: {text}" if text else f"For {name}."
            whole = text if len(having) > 1 else own
            parameter = attrs.evolve(field.parameter, description=whole)
            nullable = attrs.evolve(field, nullable=True).annotated(_metadata(parameter))
            fields.setdefault(key, attrs.field(type=nullable, default=None))
    return attrs.make_class("PointerArguments", fields, (TabArguments,), frozen=True, kw_only=True)


def _fields(tool: AnyTool) -> Collection[str]:
    return declared_fields(tool.arguments.kind)


async def pointer(arguments: Any, context: ToolContext) -> ToolResult:
    """Perform the chosen action, whose own tool checks the arguments."""
    own = {field.name for field in attrs.fields(TabArguments)} | {"action"}
    given = {
        name: value
        for name, value in attrs.asdict(arguments, recurse=False).items()
        if name not in own and value is not None
    }
    request = POINTER_ACTIONS[arguments.action].read_arguments(given).request()
    return outcome_result(await perform(request, arguments, context), context.names)


POINTER = Tool(
    name="pointer",
    description="Use the mouse or fingers in other ways than click and scroll.",
    group="mouse",
    annotations=ACTS,
    arguments=pointer_arguments(),
    handler=pointer,
    output_schema=OUTCOME,
)

TOOLS = (*(tool for tool in ACTION_TOOLS.values() if tool.group != "mouse"), POINTER)
