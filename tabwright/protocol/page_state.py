"""The state of a page that is lost with its tab: form fields, scroll position, sessionStorage."""

from typing import Literal

import attrs

from tabwright.protocol.inspection import Inspection

Lost = Literal["form fields", "scroll position", "sessionStorage", "IndexedDB"]
"""A part of the state of a page that could not be kept, or not restored."""


@attrs.frozen
class SleepingPage:
    """The state of a page, for `RestorePageState` after it is loaded again.

    The values of fields can be passwords, which are kept in memory only, if the page marks them.

    Attributes:
        url: of the page.
        origin: of the page.
        session: its ``sessionStorage``, as names and values.
        content: form fields that differ from what the page has set, and scroll positions.
        lost: the parts that could not be kept.
    """

    url: str = ""
    origin: str = ""
    session: tuple[tuple[str, str], ...] = attrs.field(default=(), repr=False)
    content: str = attrs.field(default="", repr=False)
    lost: tuple[Lost, ...] = ()


@attrs.frozen
class ReadPageState(Inspection[SleepingPage]):
    """Return the state of the page. Fields in frames of other origins are not included."""


@attrs.frozen
class RestorePageState(Inspection[tuple[Lost, ...]]):
    """Restore form fields and scroll positions, and return what could not be restored.

    Waits for elements that the page has not added yet, for a second at most.
    """

    state: SleepingPage
