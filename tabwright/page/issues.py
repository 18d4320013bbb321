"""Problems that the browser itself has found with a page, as DevTools lists them under Issues."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import cast

import attrs
import msgspec
import trio

from tabwright.cdp.domains import audits, dom
from tabwright.cdp.errors import CDPError
from tabwright.cdp.session import CDPSession
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.frames import ANSWER_S, LATEST_MAX
from tabwright.page.isolated_worlds import UNDO_S
from tabwright.page.outline_text import ENTRY_MAX, truncate
from tabwright.protocol.inspection import Inspection

ISSUES_S = 0.5
"""Seconds for the browser to send what it has found, which it does in a few milliseconds."""

_NODES = frozenset({"nodeId", "violatingNodeId"})
"""Names of members that identify an element."""

_INTERNAL = frozenset(
    {"columnNumber", "documentNodeId", "frameId", "loaderId", "requestId", "scriptId", "stackTrace"}
)


@attrs.frozen
class BrowserIssue:
    """A problem that the browser has found with the page, as DevTools lists it.

    Attributes:
        code: its kind, for example ``Cookie``, ``MixedContent`` or ``ContentSecurityPolicy``.
        details: names and values, for example the reason and the URL.
        count: how often it was found.
    """

    code: str
    details: tuple[tuple[str, str], ...]
    count: int = 1


@attrs.frozen
class ReadBrowserIssues(Inspection[tuple[BrowserIssue, ...]]):
    """Return the problems that the browser has found since the page was loaded."""


@answers(ReadBrowserIssues)
async def read_browser_issues(
    runner: ActionRunner, _request: ReadBrowserIssues
) -> tuple[BrowserIssue, ...]:
    session = (await runner.documents.main()).session
    found = list[audits.InspectorIssue]()
    try:
        with session.subscribe(audits.IssueAdded, capacity=LATEST_MAX) as added:
            await session.execute_all((audits.enable(), audits.check_forms()))
            with trio.move_on_after(ISSUES_S):
                async for event in added:
                    found.append(event.issue)
    finally:
        with trio.move_on_after(UNDO_S, shield=True), suppress(CDPError):
            await session.execute(audits.disable())
    unique = {bytes(issue.details): issue for issue in found}  # forms are checked several times
    issues = Counter[BrowserIssue]()
    with trio.fail_after(ANSWER_S):
        for issue in unique.values():
            issues[await _described(session, issue)] += 1
    return tuple(attrs.evolve(issue, count=count) for issue, count in issues.items())


async def _described(session: CDPSession, issue: audits.InspectorIssue) -> BrowserIssue:
    members = msgspec.json.decode(issue.details, type=dict[str, object])
    details = tuple(dict.fromkeys(scalars(members)))
    named = list[tuple[str, str]]()
    for name, value in details:
        if name in _NODES:
            value = await _node_name(session, int(value))  # noqa: PLW2901  (its id says nothing)
        if value:
            named.append((name, truncate(value, ENTRY_MAX)))
    return BrowserIssue(issue.code.removesuffix("Issue"), tuple(named))


async def _node_name(session: CDPSession, node: int) -> str:
    """Return a node as a selector; empty if it is gone."""
    with suppress(CDPError):
        described = (await session.execute(dom.describe_backend_node(node))).node
        attributes = dict(zip(described.attributes[::2], described.attributes[1::2], strict=False))
        marks = [f"#{attributes['id']}"] if "id" in attributes else []
        marks += [f"[name={attributes['name']}]"] if "name" in attributes else []
        return described.local_name + "".join(marks)
    return ""


def scalars(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield the innermost names and values of an issue, without ids of the browser."""
    match value:
        case dict():
            members = cast("dict[str, object]", value)
            for inner, one in members.items():
                if inner not in _INTERNAL:
                    yield from scalars(one, inner)
        case list():
            for one in cast("list[object]", value):
                yield from scalars(one, name)
        case str() | int() | float() if name:
            text = str(value).lower() if isinstance(value, bool) else str(value)
            yield name, text
        case _:
            pass
