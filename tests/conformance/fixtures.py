"""Tools, resources and prompts that the scenarios of the conformance suite require."""

import json
from collections.abc import Awaitable, Callable

import attrs
import mcp_types as mcp
import trio
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata

from tabwright.mcp.arguments import JSONObject, object_schema
from tabwright.mcp.tool import READS, AnyTool, Tool, ToolContext, ToolResult
from tabwright.protocol.errors import PageFailed

Context = ServerRequestContext[dict[str, object]]

PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQ"
    "DwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
)
WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

PAUSE_S = 0.05
"""Between what a tool tells; the suite says how long."""


@attrs.frozen
class Nothing:
    pass


@attrs.frozen
class Prompt:
    prompt: str


@attrs.frozen
class Message:
    message: str


@attrs.frozen
class Person:
    name: str = ""
    address: dict[str, str] = attrs.Factory(dict)


FixtureArguments = Nothing | Prompt | Message | Person

Work = Callable[[FixtureArguments, Context], Awaitable[mcp.CallToolResult]]

WORKS: dict[str, Work] = {}
TOOLS: list[AnyTool] = []


async def _by_the_gateway(asked: FixtureArguments, context: ToolContext) -> ToolResult:
    """Raise, as the tests' gateway calls the function in `WORKS` instead."""
    raise NotImplementedError


def _tool(arguments: type[FixtureArguments] = Nothing) -> Callable[[Work], Work]:
    """Return a decorator that registers a function as a tool under its own name."""

    def offer(work: Work) -> Work:
        WORKS[work.__name__] = work
        tool = Tool(
            name=work.__name__,
            description=f"What the conformance suite knows as {work.__name__}.",
            group="search",
            annotations=READS,
            arguments=arguments,
            handler=_by_the_gateway,
            output_schema=object_schema({}, required=[]),
        )
        TOOLS.append(tool)
        return work

    return offer


def _content(*parts: mcp.ContentBlock) -> mcp.CallToolResult:
    return mcp.CallToolResult(content=list(parts))


def _text(text: str) -> mcp.TextContent:
    return mcp.TextContent(type="text", text=text)


def _image() -> mcp.ImageContent:
    return mcp.ImageContent(type="image", data=PNG, mime_type="image/png")


def _embedded(uri: str, mime_type: str, text: str) -> mcp.EmbeddedResource:
    held = mcp.TextResourceContents(uri=uri, mime_type=mime_type, text=text)
    return mcp.EmbeddedResource(type="resource", resource=held)


@_tool()
async def test_simple_text(asked, context):
    return _content(_text("This is a simple text response for testing."))


@_tool()
async def test_image_content(asked, context):
    return _content(_image())


@_tool()
async def test_audio_content(asked, context):
    return _content(mcp.AudioContent(type="audio", data=WAV, mime_type="audio/wav"))


@_tool()
async def test_embedded_resource(asked, context):
    text = "This is an embedded resource content."
    return _content(_embedded("test://embedded-resource", "text/plain", text))


@_tool()
async def test_multiple_content_types(asked, context):
    record = json.dumps({"test": "data", "value": 123})
    return _content(
        _text("Multiple content types test:"),
        _image(),
        _embedded("test://mixed-content-resource", "application/json", record),
    )


@_tool()
async def test_error_handling(asked, context):
    raise PageFailed("This tool intentionally returns an error for testing.")


@_tool()
async def test_tool_with_logging(asked, context):
    for number, text in enumerate(
        ("Tool execution started", "Tool processing data", "Tool execution completed")
    ):
        await trio.sleep(PAUSE_S if number else 0)
        params = mcp.LoggingMessageNotificationParams(level="info", data=text)
        log = mcp.LoggingMessageNotification(params=params)
        await context.session.send_notification(log, related_request_id=context.request_id)
    return _content(_text("Three messages were logged."))


@_tool()
async def test_tool_with_progress(asked, context):
    for done in (0, 50, 100):
        await trio.sleep(PAUSE_S if done else 0)
        await context.session.report_progress(done, 100)
    return _content(_text("Progress was told three times."))


async def _asked(context: Context, request, result_type):
    """Send a request to the client on the stream of the current call."""
    place = ServerMessageMetadata(related_request_id=context.request_id)
    return await context.session.send_request(request, result_type, metadata=place)


@_tool(Prompt)
async def test_sampling(asked, context):
    turn = mcp.SamplingMessage(role="user", content=_text(asked.prompt))
    params = mcp.CreateMessageRequestParams(messages=[turn], max_tokens=100)
    request = mcp.CreateMessageRequest(params=params)
    output = await _asked(context, request, mcp.CreateMessageResult)
    return _content(_text(f"LLM response: {output.content.text}"))


async def _elicited(context: Context, message: str, properties: JSONObject) -> mcp.CallToolResult:
    schema = object_schema(properties, required=[])
    params = mcp.ElicitRequestFormParams(message=message, requested_schema=schema)
    answer = await _asked(context, mcp.ElicitRequest(params=params), mcp.ElicitResult)
    reported = f"action={answer.action}, content={json.dumps(answer.content)}"
    return _content(_text(f"Elicitation completed: {reported}"))


@_tool(Message)
async def test_elicitation(asked, context):
    wanted = {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    }
    return await _elicited(context, asked.message, wanted)


@_tool()
async def test_elicitation_sep1034_defaults(asked, context):
    status = {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"}
    wanted = {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": status,
        "verified": {"type": "boolean", "default": True},
    }
    return await _elicited(context, "Please look through what is filled in.", wanted)


@_tool()
async def test_elicitation_sep1330_enums(asked, context):
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{number}", "title": f"{order} Option"}
        for number, order in enumerate(("First", "Second", "Third"), 1)
    ]
    legacy = {
        "type": "string",
        "enum": ["opt1", "opt2", "opt3"],
        "enumNames": ["Option One", "Option Two", "Option Three"],
    }
    wanted = {
        "untitledSingle": {"type": "string", "enum": options},
        "titledSingle": {"type": "string", "oneOf": titled},
        "legacyEnum": legacy,
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": options}},
        "titledMulti": {"type": "array", "items": {"anyOf": titled}},
    }
    return await _elicited(context, "Please choose.", wanted)


@_tool()
async def test_reconnection(asked, context):
    if context.close_sse_stream is not None:  # only a client that can come back is left
        await context.close_sse_stream()
    await trio.sleep(PAUSE_S)
    return _content(_text("The answer came after the stream was closed."))


@_tool(Person)
async def json_schema_2020_12_tool(asked, context):
    return _content(_text("The schema is what is looked at."))


LISTED_AS: dict[str, JSONObject] = {
    "json_schema_2020_12_tool": {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": {
            "address": {
                "type": "object",
                "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
            }
        },
        "type": "object",
        "properties": {
            "name": {"type": ["string", "null"]},
            "address": {"$ref": "#/$defs/address"},
        },
        "additionalProperties": False,
    }
}
"""Schemas that no tool of ours would have; the inspector has something to say of this one."""

RESOURCES = [
    mcp.Resource(
        uri="test://static-text", name="static-text", description="Text.", mime_type="text/plain"
    ),
    mcp.Resource(
        uri="test://static-binary", name="static-binary", description="PNG.", mime_type="image/png"
    ),
]

TEMPLATE = mcp.ResourceTemplate(
    uri_template="test://template/{id}/data", name="template", mime_type="application/json"
)


def contents(uri: str) -> mcp.TextResourceContents | mcp.BlobResourceContents:
    """Return the contents of a resource of the suite by its URI."""
    match uri.removeprefix("test://").split("/"):
        case ["static-text"]:
            text = "This is the content of the static text resource."
            return mcp.TextResourceContents(uri=uri, mime_type="text/plain", text=text)
        case ["static-binary"]:
            return mcp.BlobResourceContents(uri=uri, mime_type="image/png", blob=PNG)
        case ["template", name, "data"]:
            record = {"id": name, "templateTest": True, "data": f"Data for ID: {name}"}
            text = json.dumps(record)
            return mcp.TextResourceContents(uri=uri, mime_type="application/json", text=text)
        case _:
            raise MCPError(mcp.INVALID_PARAMS, f"There is no resource {uri}.")


def _prompt(name: str, *arguments: str) -> mcp.Prompt:
    named = [mcp.PromptArgument(name=one, description=one, required=True) for one in arguments]
    return mcp.Prompt(name=name, description=f"{name}, for the suite.", arguments=named)


PROMPTS = [
    _prompt("test_simple_prompt"),
    _prompt("test_prompt_with_arguments", "arg1", "arg2"),
    _prompt("test_prompt_with_embedded_resource", "resourceUri"),
    _prompt("test_prompt_with_image"),
]


def messages(name: str, given: dict[str, str]) -> list[mcp.ContentBlock] | None:
    """Return the messages of a prompt of the suite, or None if it is unknown."""
    match name:
        case "test_simple_prompt":
            return [_text("This is a simple prompt for testing.")]
        case "test_prompt_with_arguments":
            reported = f"arg1='{given['arg1']}', arg2='{given['arg2']}'"
            return [_text(f"Prompt with arguments: {reported}")]
        case "test_prompt_with_embedded_resource":
            text = "Embedded resource content for testing."
            held = _embedded(given["resourceUri"], "text/plain", text)
            return [held, _text("Please process the embedded resource above.")]
        case "test_prompt_with_image":
            return [_image(), _text("Please analyze the image above.")]
        case _:
            return None
