"""The outline of a page that is open in a tab: its text and its controls as lines of a terminal."""

import re
from collections.abc import Iterator

import attrs
from rich.console import RenderableType
from rich.padding import Padding
from rich.style import Style
from rich.text import Text

from tabwright.plugins.tui.page import FIELD, SECRET, WIDTH_MIN
from tabwright.protocol.snapshot import Field, Option
from tabwright.text.lines import strip_invisible

TICKED = {"checkbox", "switch", "menuitemcheckbox"}
PRESSED = {"radio", "menuitemradio"}

TYPED = {
    "textbox", "searchbox", "combobox", "spinbutton", "slider", "password", "color",
    "date", "time", "month", "week", "datetime",
}  # fmt: skip
"""Roles of controls whose value is text."""

STATES = (
    "mixed|checked|disabled|readonly|required|invalid|selected|pressed|current|expanded|collapsed"
    "|focused|hidden"
)
LISTED_STATES = ("disabled", "readonly", "invalid", "selected", "pressed", "expanded", "collapsed")
"""States that the drawing of a control does not show."""

_QUOTED = r'"(?:[^"\\]|\\.)*"'
_CONTROL = re.compile(
    rf"\[\*?(?P<ref>\d+\.\d+)\](?: (?P<role>[a-z]+)(?= |$))?(?: ~?(?P<name>{_QUOTED}))?"
    rf"(?: = (?P<value>{_QUOTED}))?(?P<states>(?: (?:{STATES})(?= |$))*)"
    r"(?(role)(?: of (?P<count>\d+): .*?(?= \| | covered by |$))?|(?: (?P<url>\S+))?)",
    re.MULTILINE,
)
"""A control as `tabwright.page.outline_text` writes it: what has no role is a link, with its URL.
No text of a page looks like a ref."""

_HEADING = re.compile("#+ ")
_ESCAPED = re.compile(r'\\(["\\nt])')
_MEANT = {"n": "\n", "t": "\t"}
_CHOICE = re.compile(r"[*-] (.*?)(?: = (.*))?")
"""An option as the tool ``select`` lists it; a star marks one that is chosen."""


@attrs.frozen
class PageControl:
    """A control in an outline.

    Attributes:
        ref: its ref. Two controls are equal if their refs are.
        role: ``link`` if the outline names none.
        value: its value; of a list the selected labels.
        has_options: whether its value is chosen from a list.
        url: of a link, shortened.
    """

    ref: str
    role: str = attrs.field(default="link", eq=False)
    name: str = attrs.field(default="", eq=False)
    value: str = attrs.field(default="", eq=False)
    states: tuple[str, ...] = attrs.field(default=(), eq=False)
    has_options: bool = attrs.field(default=False, eq=False)
    url: str = attrs.field(default="", eq=False)

    @property
    def label(self) -> str:
        """Its name, or its role if it has none."""
        return self.name or self.role


def outline_lines(outline: str) -> Iterator[RenderableType]:
    """Return the lines of an outline with its controls, indented as in the outline."""
    for line in map(strip_invisible, outline.splitlines()):
        written = line.lstrip(" ")
        heading = _HEADING.match(written)
        text = Text(style="bold" if heading else "")
        start = heading.end() if heading else 0
        for found in _CONTROL.finditer(written):
            text.append(written[start : found.start()])
            text.append(_drawn(_control(found)))
            start = found.end()
        text.append(written[start:])
        yield Padding(text, (0, 0, 0, len(line) - len(written)))


def controls_of(outline: str) -> tuple[PageControl, ...]:
    """Return all controls of an outline in their order."""
    return tuple(_control(found) for found in _CONTROL.finditer(outline))


def field_of_control(control: PageControl, listed: str = "") -> Field:
    """Return a field for the windows in which a person types or chooses.

    Args:
        control: with its whole value.
        listed: the options of a list, as the tool ``select`` lists them.
    """
    if control.has_options:
        matches = [_CHOICE.fullmatch(line) for line in listed.splitlines()]
        options = tuple(
            Option(found[2] or found[1], found[1], selected=found[0].startswith("*"))
            for found in matches
            if found
        )
        several = control.role == "listbox"
        return Field(control.ref, "select", label=control.label, multiple=several, options=options)
    if control.role == SECRET:
        return Field(control.ref, SECRET, label=control.label)
    kind = "textarea" if "\n" in control.value else "text"
    return Field(control.ref, kind, control.value, label=control.label)


def _control(found: re.Match[str]) -> PageControl:
    return PageControl(
        found["ref"],
        found["role"] or "link",
        _unquoted(found["name"]),
        _unquoted(found["value"]),
        tuple(found["states"].split()),
        has_options=found["count"] is not None,
        url=found["url"] or "",
    )


def _unquoted(quoted: str | None) -> str:
    if quoted is None:
        return ""
    return _ESCAPED.sub(lambda found: _MEANT.get(found[1], found[1]), quoted[1:-1])


def _drawn(control: PageControl) -> Text:
    target = Style(meta={FIELD: control}, color="yellow")
    label = control.label
    if control.role == "link":
        return Text(label, Style(meta={FIELD: control}, color="blue", underline=True))
    star = " *" if "required" in control.states else ""
    if control.role in TICKED | PRESSED:
        on, off = ("(•)", "( )") if control.role in PRESSED else ("[x]", "[ ]")
        mark = "[-]" if "mixed" in control.states else on if "checked" in control.states else off
        text = Text(f"{mark} {label}{star}", target)
    elif control.has_options:
        text = Text(f"{label}{star}: ").append(f"<{control.value or 'nothing'}>", target)
    elif control.role in TYPED:
        value = " ⏎ ".join(control.value.splitlines())
        text = Text(f"{label}{star}: ").append(f"[{value.ljust(WIDTH_MIN, '_')}]", target)
    else:
        text = Text(f"[ {label} ]", target)
    states = [state for state in control.states if state in LISTED_STATES]
    return text.append(f" ({', '.join(states)})", "dim") if states else text
