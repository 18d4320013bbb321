"""The interface through which solvers see a page and act on it, with any server."""

import io
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import attrs
from PIL import Image

Point: TypeAlias = tuple[float, float]

PIXELS_PER_TOKEN = 750
"""Number of image pixels that cost a model about one token."""


@attrs.frozen
class Box:
    """The position of an element, in CSS pixels of the visible page."""

    left: float
    top: float
    width: float
    height: float

    @property
    def center(self) -> Point:
        return self.left + self.width / 2, self.top + self.height / 2


@attrs.frozen
class Item:
    """A line of a snapshot, or one control of it.

    Attributes:
        ref: empty for text.
        role: as the server names it; ``text`` for text, ``heading`` for a heading.
        name: its accessible name; for text, the text itself.
        guess: the server's guess at the purpose of a control without a name.
        value: the value of a field.
        states: everything else that the line says.
        depth: how far the line is indented.
    """

    ref: str
    role: str
    name: str = ""
    guess: str = ""
    value: str = ""
    states: str = ""
    depth: int = 0

    @property
    def box(self) -> Box:
        """Return the position of the element, from a snapshot taken with boxes."""
        found = re.search(r"box=([-\d.]+),([-\d.]+),([-\d.]+),([-\d.]+)", self.states)
        if found is None:
            raise Unsolved(f"{self} has no box")
        return Box(*map(float, found.groups()))

    @property
    def is_text(self) -> bool:
        """Return whether it is text, or a clickable element without a pointer cursor."""
        return not self.ref or (self.role == "clickable" and "[ref=" in self.states
                                and "cursor=pointer" not in self.states)  # fmt: skip

    @property
    def color(self) -> str:
        """Return the color of a shape as six hexadecimal digits, or an empty string."""
        found = re.search(r"#([0-9a-f]{6})\b", self.states)
        return found[1] if found else ""

    def has(self, state: str) -> bool:
        return re.search(rf"\b{state}\b", self.states) is not None


class Unsolved(Exception):
    """Raised by a solver if the server does not show or cannot do what the task needs."""


# The steps. A target is a ref or a locator of the server.


@attrs.frozen
class Click:
    target: str
    count: int = 1
    at: Point | None = None
    modifiers: tuple[str, ...] = ()


@attrs.frozen
class Type:
    """Replace the value of a field."""

    target: str
    text: str


@attrs.frozen
class Check:
    target: str
    checked: bool = True


@attrs.frozen
class Select:
    target: str
    values: tuple[str, ...]


@attrs.frozen
class Press:
    """Press a key such as Enter or Control+A, in an element or where the focus is."""

    key: str
    target: str = ""


@attrs.frozen
class Hover:
    target: str


@attrs.frozen
class Drag:
    target: str
    to: str


@attrs.frozen
class Mouse:
    """Use the mouse at points of the visible page: ``click``, ``move`` or ``drag``."""

    action: str
    path: tuple[Point, ...]
    count: int = 1


@attrs.frozen
class Pause:
    seconds: float


@attrs.frozen
class WaitForAny:
    """Wait until the page shows one of several texts."""

    texts: tuple[str, ...]


@attrs.frozen
class Scroll:
    """Scroll an element by pixels; negative ones scroll up."""

    target: str
    pixels: int


@attrs.frozen
class ClickUntil:
    """Click a target again and again until the page shows a text."""

    target: str
    text: str


@attrs.frozen
class ScrollTo:
    """Scroll until an element is in view."""

    target: str


Step: TypeAlias = (
    Click
    | Type
    | Check
    | Select
    | Press
    | Hover
    | Drag
    | Mouse
    | Pause
    | Scroll
    | ScrollTo
    | ClickUntil
    | WaitForAny
)


class Page(ABC):
    """The page of an episode, used through the tools of one server.

    Attributes:
        utterance, fields: the task, as the page describes it.
        tokens: the tokens of all calls so far and of their answers.
        calls: the number of calls so far.
    """

    def __init__(self, count_tokens: Callable[[str], int]) -> None:
        self._count_tokens = count_tokens
        self.utterance = ""
        self.fields: Mapping[str, str] = {}
        self.tokens = 0
        self.calls = 0
        self.verbose = False

    @abstractmethod
    async def look(self, *, boxes: bool = False) -> "Seen":
        """Return what is on the page."""

    @abstractmethod
    async def do(self, *steps: Step) -> None:
        """Do steps, in as few calls as the server allows."""

    @abstractmethod
    async def act(self, *steps: Step) -> "Seen":
        """Do steps, and return the content of the page, or at least the content that is new."""

    @abstractmethod
    async def whole(self, item: Item) -> str:
        """Return the whole text or value of an element, which a snapshot can shorten."""

    @abstractmethod
    async def picture(self) -> Image.Image:
        """Return a screenshot of the visible page, one pixel for each CSS pixel."""

    @abstractmethod
    async def at(self, point: Point) -> str:
        """Return what is at a point of the page, in the words of the server."""

    def pay(self, *texts: str) -> None:
        """Count a call and the tokens of its request and answer."""
        if self.verbose:
            print(*texts, sep="\n")
        self.calls += 1
        self.tokens += sum(map(self._count_tokens, texts))

    def pay_picture(self, picture: Image.Image) -> None:
        self.tokens += picture.width * picture.height // PIXELS_PER_TOKEN


def picture_of(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


@attrs.frozen
class Seen:
    """A snapshot, or the part of one that an answer contains."""

    items: Sequence[Item]

    def all(
        self, *roles: str, name: str = "", where: Callable[[Item], bool] | None = None
    ) -> list[Item]:
        """Return the controls of these roles, with this name, in the order of the page."""
        return [
            one
            for one in self.items
            if one.ref
            and (not roles or one.role in roles)
            and (not name or same(one.name or one.guess, name))
            and (where is None or where(one))
        ]

    def the(self, *roles: str, name: str = "", where: Callable[[Item], bool] | None = None) -> Item:
        """Return the first such control.

        Raises:
            Unsolved: there is none.
        """
        found = self.all(*roles, name=name, where=where)
        if not found:
            raise Unsolved(f"no {'/'.join(roles) or 'control'} {name!r} in {self.text[:400]!r}")
        return found[0]

    def target(self, *roles: str, name: str) -> str:
        """Return the ref of such a control, or else a locator of its text, for any server."""
        found = self.all(*roles, name=name)
        return found[0].ref if found else f'text="{name}"'

    def has(self, *roles: str, name: str = "") -> bool:
        return bool(self.all(*roles, name=name))

    @property
    def fields(self) -> list[Item]:
        return self.all("textbox", "searchbox", "password", "spinbutton", "date", "time")

    @property
    def texts(self) -> list[str]:
        """Return the texts and the names of controls, line by line."""
        return [one.name for one in self.items if one.name]

    @property
    def text(self) -> str:
        return "\n".join(self.texts)

    def after(self, index: Item) -> "Seen":
        return Seen(self.items[self.items.index(index) + 1 :])


def same(one: str, other: str) -> bool:
    return " ".join(one.split()).casefold() == " ".join(other.split()).casefold()


def quoted(utterance: str) -> list[str]:
    """Return the texts in quotes."""
    return [one.strip() for one in re.findall(r'"([^"]*)"', utterance)]


def numbers(text: str) -> list[int]:
    return [int(one) for one in re.findall(r"-?\d+", text)]


def ordinals(text: str) -> list[int]:
    """Return the ordinal numbers, for example 1st and 12th."""
    return [int(one) for one in re.findall(r"(\d+)(?:st|[nr]d|th)\b", text)]
