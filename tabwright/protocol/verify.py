"""Assertions about a page, and locators for its elements."""

import attrs

from tabwright.protocol.inspection import Inspection


@attrs.frozen
class CountVisible(Inspection[int]):
    """Return the number of visible elements with a role and a name, in frames, too.

    The browser computes both (WAI-ARIA, accname).

    Attributes:
        role: for example ``button``.
        name: a part of the accessible name, regardless of case; empty for any.
    """

    role: str
    name: str = ""


@attrs.frozen
class ElementState:
    """The state of an element.

    Attributes:
        value: of a field; for a list the label of its selected option.
        checked: whether a checkbox, a radio button or a switch is on; None for others.
        text: its visible text.
    """

    value: str = attrs.field(default="", repr=False)
    checked: bool | None = None
    text: str = ""


@attrs.frozen
class ReadElement(Inspection[ElementState]):
    """Return the state of an element; refused with `BadInput` if there is no such element."""

    ref: str


@attrs.frozen
class Locators:
    """Ways to find an element again, each of which matches it and no other.

    Attributes:
        locator: in our form, for example ``role=button[name="Save"]``.
        playwright: as code for Playwright.
        css: a CSS selector within its document.
    """

    locator: str
    playwright: str
    css: str


@attrs.frozen
class GenerateLocators(Inspection[Locators]):
    """Return locators for an element; refused with `BadInput` if there is no such element."""

    ref: str
