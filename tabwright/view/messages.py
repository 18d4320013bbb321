"""The messages between the page of the live view and the server.

Each is a JSON object with its kind in ``t``. Pictures are binary: four bytes with the length of a
JSON object, that object, and the picture.
"""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from tabwright.page.live_page import EventKind

Text: TypeAlias = Annotated[str, Meta(max_length=100_000)]
Fraction: TypeAlias = Annotated[float, Meta(ge=0, le=1)]
"""A part of the width or height of the view."""

Name: TypeAlias = Annotated[str, Meta(max_length=255)]


class FromPage(msgspec.Struct, frozen=True, tag_field="t"):
    """A message of the page."""


class Hello(FromPage, frozen=True, tag="hello"):
    """The first message: the token of the session."""

    session: str


class WatchTab(FromPage, frozen=True, tag="watch"):
    """Which tab is shown live; None for the grid of all tabs."""

    tab: int | None


class PictureDrawn(FromPage, frozen=True, tag="ack"):
    """A picture was drawn."""


class TakeOver(FromPage, frozen=True, tag="take"):
    """Take the tab over, or hand it back."""

    over: bool


class MousePoint(FromPage, frozen=True, tag="mouse"):
    """The mouse at a point of the picture."""

    kind: Literal["down", "up", "move"]
    x: Fraction
    y: Fraction
    button: Literal["none", "left", "middle", "right"] = "none"
    held: Literal["none", "left", "middle", "right"] = "none"
    clicks: Annotated[int, Meta(ge=0, le=3)] = 0
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0


class WheelTurn(FromPage, frozen=True, tag="wheel"):
    """The wheel over a point of the picture; the distances are in CSS pixels."""

    x: Fraction
    y: Fraction
    dx: float
    dy: float


class Fingers(FromPage, frozen=True, tag="touch"):
    """The fingers that are down, at points of the picture."""

    kind: Literal["start", "move", "end", "cancel"]
    points: Annotated[tuple[tuple[Fraction, Fraction], ...], Meta(max_length=10)]


class KeyStroke(FromPage, frozen=True, tag="key"):
    """A key, by its name of UI Events."""

    kind: Literal["down", "up"]
    key: Name
    modifiers: Annotated[int, Meta(ge=0, le=15)] = 0


class TextEntered(FromPage, frozen=True, tag="text"):
    """Text that was pasted, or entered by an input method or a keyboard on the screen."""

    text: Text


class TextComposed(FromPage, frozen=True, tag="compose"):
    """Text that an input method is composing."""

    text: Text


class DialogAnswer(FromPage, frozen=True, tag="dialog"):
    """The answer to a dialog."""

    accept: bool
    text: Text = ""


class FileChosen(FromPage, frozen=True, tag="file"):
    """A file that was chosen; its bytes follow in binary messages."""

    name: Name
    size: Annotated[int, Meta(ge=0)]


class FilesComplete(FromPage, frozen=True, tag="choose"):
    """Pass the files that were sent to the page; none if the person chose none."""


class GoTo(FromPage, frozen=True, tag="go"):
    """Go to a URL, or ``back``, ``forward`` or ``reload``."""

    where: Text


PageMessage: TypeAlias = (
    Hello
    | WatchTab
    | PictureDrawn
    | TakeOver
    | MousePoint
    | WheelTurn
    | Fingers
    | KeyStroke
    | TextEntered
    | TextComposed
    | DialogAnswer
    | FileChosen
    | FilesComplete
    | GoTo
)


class TabCard(msgspec.Struct, frozen=True):
    """A tab in the grid.

    Attributes:
        person: ``you``, ``other`` or empty: who has taken it over.
        help: why a person is asked to act in it.
    """

    number: int
    title: str
    url: str
    purpose: str
    use: str
    person: str
    help: str


class DialogShown(msgspec.Struct, frozen=True):
    """The open dialog of a page."""

    kind: str
    message: str
    preset: str


class TabList(msgspec.Struct, frozen=True, tag_field="t", tag="tabs"):
    """All tabs that the person can see."""

    tabs: tuple[TabCard, ...]


class TabShown(msgspec.Struct, frozen=True, tag_field="t", tag="page"):
    """The state of the tab that is shown live."""

    tab: TabCard
    dialog: DialogShown | None
    files: bool


class EventShown(msgspec.Struct, frozen=True):
    """Something that happened in the tab that is shown live."""

    number: int
    kind: EventKind
    text: str


class EventList(msgspec.Struct, frozen=True, tag_field="t", tag="events"):
    """New events of the tab that is shown live."""

    events: tuple[EventShown, ...]


class ElementShown(msgspec.Struct, frozen=True):
    """An element of the page."""

    depth: int
    role: str
    name: str
    value: str
    states: tuple[str, ...]


class OutlineShown(msgspec.Struct, frozen=True, tag_field="t", tag="outline"):
    """The elements of the page in reading order."""

    lines: tuple[ElementShown, ...]


class ProblemShown(msgspec.Struct, frozen=True, tag_field="t", tag="problem"):
    """Why a message had no effect."""

    text: str


class TabEnded(msgspec.Struct, frozen=True, tag_field="t", tag="ended"):
    """The tab that was shown live is gone, or nothing is to be done in it any more."""

    text: str


ServerMessage: TypeAlias = TabList | TabShown | EventList | OutlineShown | ProblemShown | TabEnded


class PictureHead(msgspec.Struct, frozen=True):
    """A picture, or a part of it.

    Attributes:
        tab: the number of the tab.
        live: whether it is the live picture, which is acknowledged, or a small one for the grid.
        x, y, width, height: the part, in fractions of the whole.
        view_width, view_height: the size of the view, in CSS pixels.
        media_type: of the bytes.
    """

    tab: int
    live: bool
    x: float = 0
    y: float = 0
    width: float = 1
    height: float = 1
    view_width: float = 0
    view_height: float = 0
    media_type: str = "image/jpeg"


_messages: msgspec.json.Decoder[PageMessage] = msgspec.json.Decoder(PageMessage)


def read_message(text: str) -> PageMessage:
    """Read a message of the page.

    Raises:
        msgspec.MsgspecError: it is not valid.
    """
    return _messages.decode(text)


def write_message(message: ServerMessage) -> str:
    """Write a message to the page."""
    return msgspec.json.encode(message).decode()


def write_picture(picture: PictureHead, data: bytes) -> bytes:
    """Write a picture to the page."""
    head = msgspec.json.encode(picture)
    return len(head).to_bytes(4) + head + data
