"""The state of the browser as Markdown, in the form of seed 002's resources."""

from collections import Counter
from collections.abc import Iterable, Iterator

from tabwright.acting.line_text import harmless, shortened_url
from tabwright.protocol.outcomes import TabInfo
from tabwright.protocol.outlines import ListedControl, OutlineText

ELEMENTS_MAX = 20
"""Elements that an overview has one by one."""

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
"""What an element of a role is in HTML; a button is one, and a clickable of no kind a div."""


def current_state(session: str, tabs: Iterable[TabInfo], outline: OutlineText) -> str:
    """The current tab, all tabs, and what there is to act on."""
    lines = [
        "# Current Browser State",
        "",
        f"Session: {session}",
        "",
        "## Active Tab",
        "",
        f"- Title: {harmless(outline.title)}",
        f"- URL: {outline.url}",
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
    """All tabs."""
    return "\n".join(["# Tabs", "", *map(_tab, tabs)])


def dom_state(outline: OutlineText) -> str:
    """An overview of the page: its first elements one by one, and its structure."""
    kinds = Counter(control.role for control in outline.controls)
    more = len(outline.controls) - ELEMENTS_MAX
    lines = [
        "# DOM State Overview",
        "",
        "## Page Metadata",
        "",
        f"- Title: {harmless(outline.title)}",
        f"- URL: {outline.url}",
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
        *([f"({more} more: take a snapshot with format outline)", ""] if more > 0 else []),
        "## DOM Structure",
        "",
        *_structure(outline),
    ]
    return "\n".join(lines)


def _tab(tab: TabInfo) -> str:
    current = " (active)" if tab.current else ""
    return f"- [{tab.number}] {harmless(tab.title) or '(untitled)'}: {tab.url}{current}"


def _element(control: ListedControl) -> Iterator[str]:
    yield f"### Element [{control.ref}]"
    yield ""
    yield f"- Role: {control.role}"
    if control.name:
        yield f"- Text: {harmless(control.name)}"
    if control.value:
        yield f"- Value: {harmless(control.value)}"
    if control.states:
        yield f"- State: {', '.join(control.states)}"
    if control.url:
        yield f"- Leads to: {shortened_url(control.url)}"
    yield ""


def _structure(outline: OutlineText) -> Iterator[str]:
    """A line for each element, one tab for each group that it stands in."""
    yield "[Start of page]" if not outline.above else f"... {outline.above} pixels above ..."
    for control in outline.controls:
        mark = f"*[{control.ref}]*" if control.new else f"[{control.ref}]"
        disabled = " [DISABLED]" if "disabled" in control.states else ""
        value = f" value='{harmless(control.value)}'" if control.value else ""
        tag = TAGS.get(control.role, "button" if control.role == "button" else "div")
        yield "\t" * control.depth + f"{mark}<{tag}{value}>{harmless(control.name)} />{disabled}"
    yield "[End of page]" if not outline.below else f"... {outline.below} pixels below ..."
