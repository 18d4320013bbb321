"""The state of the browser as Markdown, for the resources of the server."""

from collections import Counter
from collections.abc import Iterable, Iterator

from tabwright.page.outline_text import DEPTH_MAX, escape_refs, hint, truncate
from tabwright.protocol.actions import TabInfo
from tabwright.protocol.inspection import (
    ListedControl,
    OutlineText,
)
from tabwright.text.token_budget import within

ELEMENTS_MAX = 20
"""The maximum number of elements listed one by one in an overview."""

MORE = "take a snapshot with format outline"

ADDRESS_MAX = 400
"""The maximum number of characters of a URL."""

TAGS = {
    "link": "a",
    "textbox": "input",
    "searchbox": "input",
    "password": "input",
    "checkbox": "input",
    "radio": "input",
    "slider": "input",
    "spinbutton": "input",
    "file": "input",
    "combobox": "select",
    "listbox": "select",
    "disclosure": "summary",
}
"""HTML tags by role; a button is a button, and a clickable element without a role a div."""


def current_state(session: str, tabs: Iterable[TabInfo], outline: OutlineText) -> str:
    """Return the current tab, all tabs, and the controls of the page."""
    lines = [
        "# Current Browser State",
        "",
        f"Session: {session}",
        "",
        "## Active Tab",
        "",
        *_place(outline),
        "",
        "## All Tabs",
        "",
        *map(_tab, tabs),
        "",
        "## Summary",
        "",
        f"- Interactive elements: {len(outline.controls)}",
        f"- Pixels above: {outline.above}",
        f"- Pixels below: {outline.below}",
    ]
    return "\n".join(lines)


def tabs_state(tabs: Iterable[TabInfo]) -> str:
    """Return all tabs."""
    return "\n".join(["# Tabs", "", *map(_tab, tabs)])


def dom_state(outline: OutlineText, max_tokens: int) -> str:
    """Return an overview of the page: its first elements one by one, and its structure."""
    kinds = Counter(control.role for control in outline.controls)
    more = len(outline.controls) - ELEMENTS_MAX
    lines = [
        "# DOM State Overview",
        "",
        "## Page Metadata",
        "",
        *_place(outline),
        f"- Pixels above: {outline.above}",
        f"- Pixels below: {outline.below}",
        "",
        "## Interactive Elements Summary",
        "",
        f"Total: {len(outline.controls)}",
        *(f"- {role}: {count}" for role, count in kinds.most_common()),
        "",
        f"## First {min(ELEMENTS_MAX, len(outline.controls))} Elements",
        "",
        *(line for one in outline.controls[:ELEMENTS_MAX] for line in _element(one)),
        *([f"({more} more: {MORE})", ""] if more > 0 else []),
        "## DOM Structure",
        "",
        *_structure(outline),
    ]
    return within(lines, max_tokens, lambda count: f"({len(lines) - count} more lines: {MORE})")


def _place(outline: OutlineText) -> Iterator[str]:
    yield escape_refs(f"- Title: {truncate(outline.title)}")
    yield escape_refs(f"- URL: {truncate(outline.url, ADDRESS_MAX)}")


def _tab(tab: TabInfo) -> str:
    title, url = truncate(tab.title) or "(untitled)", truncate(tab.url, ADDRESS_MAX)
    return escape_refs(f"- [{tab.number}] {title}: {url}") + (" (active)" if tab.current else "")


def _element(control: ListedControl) -> Iterator[str]:
    yield f"### Element [{control.ref}]"
    yield ""
    yield f"- Role: {control.role}"
    if control.name:
        yield f"- Text: {control.name}"
    if control.value:
        yield f"- Value: {control.value}"
    if control.states:
        yield f"- State: {', '.join(control.states)}"
    if control.url:
        yield f"- Link to: {escape_refs(hint(control.url))}"
    yield ""


def _structure(outline: OutlineText) -> Iterator[str]:
    """Yield a line for each element, indented by one tab for each group around it."""
    yield "[Start of page]" if not outline.above else f"... {outline.above} pixels above ..."
    for control in outline.controls:
        mark = f"*[{control.ref}]*" if control.new else f"[{control.ref}]"
        disabled = " [DISABLED]" if "disabled" in control.states else ""
        value = f" value='{control.value}'" if control.value else ""
        tag = TAGS.get(control.role, "button" if control.role == "button" else "div")
        indent = "\t" * min(control.depth, DEPTH_MAX)
        yield f"{indent}{mark}<{tag}{value}>{control.name} />{disabled}"
    yield "[End of page]" if not outline.below else f"... {outline.below} pixels below ..."
