"""Targets of actions: refs, locators that find elements by role, label, text or CSS, and points.

A locator is one or more steps, separated by ``>>``, each of which searches in the matches of the
step before::

    role=button[name="Save"]            label=Email             text="Sign in"
    placeholder=Search                  testid=submit           css=form > button.primary
    role=row[name="Bob"] >> role=button[name="Delete"]          text=Next >> nth=0
    xpath=//td[2]//a                    tr:has-text("Bob")      Save

Texts are compared without regard to case and spaces. In quotes they have to match as a whole;
otherwise an element with exactly this text comes before those that contain it. Plain words
without capitals are a CSS selector if they match as one; otherwise they are the name, the label,
the placeholder or the text of an element, preferably of a control.

Locators of other libraries are understood as well, see `tabwright.protocol.foreign_locators`.

``shot3@120,45`` is a point of a screenshot.
"""

import re
from typing import Literal, TypeAlias, get_args

import attrs

from tabwright.protocol.errors import BadInput
from tabwright.protocol.foreign_locators import translated
from tabwright.protocol.inspection import REF
from tabwright.protocol.quotation_marks import unescaped

LocatorKind: TypeAlias = Literal[
    "role",
    "label",
    "text",
    "placeholder",
    "testid",
    "title",
    "alt",
    "css",
    "xpath",
    "words",
    "nth",
]

StateName: TypeAlias = Literal[
    "checked", "disabled", "expanded", "pressed", "selected", "level", "current"
]

SEPARATOR = " >> "
"""Separates two steps; the white space around it can be longer."""

_SEPARATOR = re.compile(rf"\s+{SEPARATOR.strip()}\s+")
_KIND = re.compile(rf"({'|'.join(get_args(LocatorKind))})=(.*)", re.DOTALL)
_CSS = re.compile(r"[#.*:\[].*|.*[\[\]{}>+~|#].*|[a-z][\w-]*[.:]\S.*", re.DOTALL)
_CONTAINING = re.compile(r"(.*?):(?:has-text|text|contains)\((.*)\)", re.DOTALL)
_ROLE = re.compile(r"([a-z]+)\s*(\[.*\])?", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(
    r"\[\s*(\w+)\s*"
    r"(?:=\s*(?:(?:\"((?:[^\"\\]|\\.)*)\"|'((?:[^'\\]|\\.)*)')\s*([is])?|([^\]\"']*?))\s*)?\]\s*",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\"((?:[^\"\\]|\\.)*)\"[is]?|'((?:[^'\\]|\\.)*)'[is]?", re.DOTALL)

_POINT = re.compile(
    r"(shot\d{1,9})@\s*(\d{1,6}(?:\.\d{1,9})?)\s*,\s*(\d{1,6}(?:\.\d{1,9})?)", re.ASCII
)

_NEARLY_POINT = re.compile(r"shot\d+\s*[:@,;(]\s*\d.*", re.ASCII)

LOCATOR_MAX = 1000
"""Maximum characters of a locator, whose parsing can take time that grows with their square."""

EXAMPLES = 'role=button[name="Save"], label=Email, text=Sign in or css=#save'


@attrs.frozen
class LocatorText:
    """A text to compare; `exact` if it has to match as a whole."""

    text: str
    exact: bool = False


@attrs.frozen
class LocatorStep:
    """One step of a locator.

    Attributes:
        kind: how to search.
        value: the text, the role, the selector, or the index of ``nth``.
        name: the accessible name, for ``role``, or the text in it, for ``css``; None for any.
        states: the required states, for ``role``.
    """

    kind: LocatorKind
    value: LocatorText
    name: LocatorText | None = None
    states: tuple[tuple[StateName, str], ...] = ()


@attrs.frozen
class ParsedLocator:
    """A parsed locator and its text."""

    text: str
    steps: tuple[LocatorStep, ...]


@attrs.frozen
class PicturePoint:
    """A point of a screenshot, in its pixels from the top left corner."""

    picture: str
    x: float
    y: float

    def __str__(self) -> str:
        """Return the point as it is named, for example ``shot3@120,45``."""
        return f"{self.picture}@{self.x:g},{self.y:g}"


def parse_point(target: str) -> PicturePoint | None:
    """Return the point of a screenshot that a target such as ``shot3@120,45`` names."""
    point = _POINT.fullmatch(target.strip())
    return PicturePoint(point[1], float(point[2]), float(point[3])) if point else None


def is_ref(target: str) -> bool:
    """Return whether a target is a ref, for example ``1.5``."""
    return REF.fullmatch(target.strip().strip("[]*")) is not None


def is_locator(target: str) -> bool:
    """Return whether a target begins with the kind of a locator, for example ``label=``."""
    return _KIND.fullmatch(target.strip()) is not None


def parse_locator(text: str) -> ParsedLocator:
    """Parse a locator; text without a kind is a CSS selector if it is written like one, or words.

    Raises:
        BadInput: the text is empty or not a valid locator.
    """
    if not text.strip():
        raise BadInput("The locator is empty.", advice=f"Use for example {EXAMPLES}.")
    if len(text) > LOCATOR_MAX:
        raise BadInput(f"The locator has more than {LOCATOR_MAX} characters.")
    if _POINT.fullmatch(text.strip()):
        raise BadInput(
            "A point of a screenshot cannot be used here.", advice="Use a ref or a locator."
        )
    if _NEARLY_POINT.fullmatch(text.strip()):
        raise BadInput(
            f"{text.strip()!r} is not a point of a screenshot.",
            advice="Use for example shot3@120,45.",
        )
    text = translated(text.strip())
    steps = tuple(_step(part, text) for part in _SEPARATOR.split(text))
    if steps[0].kind == "nth":
        raise BadInput(
            "nth= selects among the matches of the step before it.",
            advice="Use for example text=Next >> nth=0.",
        )
    return ParsedLocator(text, steps)


def _step(part: str, whole: str) -> LocatorStep:
    if (given := _KIND.fullmatch(part.strip())) is None:
        return _bare(part.strip())
    kind, value = _kind(given[1]), given[2].strip()
    if not value:
        raise BadInput(f"{kind}= has no value in {whole!r}.", advice=f"Use for example {EXAMPLES}.")
    match kind:
        case "css":
            return _css(value)
        case "xpath":
            return LocatorStep(kind, LocatorText(value))
        case "nth":
            if re.fullmatch(r"-?\d{1,6}", value) is None:
                raise BadInput(f"{value!r} is not an index.", advice="Use for example nth=0.")
            return LocatorStep(kind, LocatorText(value))
        case "role":
            return _role(value, whole)
        case _:
            return LocatorStep(kind, _text(value))


def _bare(part: str) -> LocatorStep:
    """Return the step of a text without a kind."""
    return _css(part) if _CSS.fullmatch(part) else LocatorStep("words", _text(part))


def _css(selector: str) -> LocatorStep:
    if containing := _CONTAINING.fullmatch(selector):
        text = LocatorText(_text(containing[2].strip()).text)
        return LocatorStep("css", LocatorText(containing[1].strip() or "*"), text)
    return LocatorStep("css", LocatorText(selector))


def _kind(word: str) -> LocatorKind:
    return next(kind for kind in get_args(LocatorKind) if kind == word)


def _text(value: str) -> LocatorText:
    if quoted := _QUOTED.fullmatch(value):
        return LocatorText(unescaped(quoted[1] or quoted[2] or ""), exact=True)
    return LocatorText(value)


def _role(value: str, whole: str) -> LocatorStep:
    given = _ROLE.fullmatch(value)
    attributes = (given[2] or "") if given else ""
    if given is None or _ATTRIBUTE.sub("", attributes):
        raise BadInput(
            f"{whole!r} is not a valid locator.",
            advice='Use for example role=button[name="Save"] or role=checkbox[checked].',
        )
    name, states = None, list[tuple[StateName, str]]()
    for key, quoted, single, case, bare in _ATTRIBUTE.findall(attributes):
        text = quoted or single or bare
        state = next((one for one in get_args(StateName) if one == key), None)
        if key == "name" and text:
            name = LocatorText(unescaped(text), exact=not bare and case.lower() != "i")
        elif state is not None:
            states.append((state, text or "true"))
        else:
            raise BadInput(
                f"A role has no attribute {key!r}.",
                advice=f"Use name, {', '.join(get_args(StateName))}.",
            )
    return LocatorStep("role", LocatorText(given[1].lower()), name, tuple(states))
