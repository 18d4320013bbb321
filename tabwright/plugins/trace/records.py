"""What a trace is made of: the performed actions, their elements, the pages, and a replay."""

import attrs

from tabwright.protocol.actions import ConsoleEntry, SimpleAction
from tabwright.protocol.inspection import RequestDetails

# Elements, described so that they can be found again on a page that has changed.


@attrs.frozen
class ElementDescription:
    """An element as people see it. All of it comes from the page.

    Attributes:
        ref: its ref now; empty in a file.
        role, name: as an outline lists them.
        text: its own text.
        tag: of the element, in lower case.
        kind: the type of an input.
        id, field, test_id, placeholder, title: attributes; `field` is its ``name``.
        choice: the value of a checkbox or a radio button.
        href: the path of a link, or its URL on another site.
        heading: the last heading before it.
        landmark: the role and name of the landmark or dialog around it.
        ancestors: the roles of the structure around it, from the inside out.
        around: the texts of its ancestors, from the inside out, as far as no equal element is in
            them.
        before, after: the nearest texts outside it.
        shown: whether it is visible.
        confidential: whether it is a field for passwords, codes or card numbers.
        css: a selector of its place.
        page: the path of its document's URL.
        frame: whether its document is in a frame.
    """

    ref: str = ""
    role: str = ""
    name: str = ""
    text: str = ""
    tag: str = ""
    kind: str = ""
    id: str = ""
    field: str = ""
    choice: str = ""
    test_id: str = ""
    placeholder: str = ""
    title: str = ""
    href: str = ""
    heading: str = ""
    landmark: str = ""
    ancestors: tuple[str, ...] = ()
    around: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    shown: bool = True
    confidential: bool = False
    css: str = ""
    page: str = ""
    frame: bool = False


@attrs.frozen
class RecordedTarget:
    """An element that an action named.

    Attributes:
        target: how the action named it: a ref, a locator, a point or the name of a field.
        element: the element.
        count, place: how many elements have its role and name, and its index among them.
        distinct: the words near it that are not near the others.
        at: the point that was named, from the element's top left corner; None for any.
    """

    target: str
    element: ElementDescription
    count: int = 1
    place: int = 0
    distinct: tuple[str, ...] = ()
    at: tuple[float, float] | None = None


@attrs.frozen
class PerformedAction:
    """An action on a page, with the elements that it named.

    Attributes:
        done: whether it succeeded.
    """

    action: SimpleAction
    targets: tuple[RecordedTarget, ...] = ()
    done: bool = False


# Pages, as they are kept in a trace.


@attrs.frozen
class RecordedRequest:
    """A request of a page.

    Attributes:
        details: the request with its headers; its body is not kept.
        started: when it was sent, in seconds since 1970; 0 if not known.
        http_version: for example ``h2``; empty if not known.
    """

    details: RequestDetails
    started: float = 0.0
    http_version: str = ""


@attrs.frozen
class PageRecord:
    """The state of a page, and what has happened on it since the last record.

    Attributes:
        url, title: of the page.
        outline: its outline, without secrets; empty if a dialog blocks the page.
        picture: a screenshot, as JPEG; empty for none.
        console: the new entries of the console.
        requests: the new requests, and those that have changed.
        performed: the actions since the last record, with their elements.
    """

    url: str = ""
    title: str = ""
    outline: str = ""
    picture: bytes = attrs.field(default=b"", repr=False)
    console: tuple[ConsoleEntry, ...] = ()
    requests: tuple[RecordedRequest, ...] = ()
    performed: tuple[PerformedAction, ...] = ()


# Replaying a trace.


@attrs.frozen
class ReplayCandidate:
    """An element that was compared with the recorded one.

    Attributes:
        around: the text around it.
        score: how well it fits; the higher, the better.
        reason: why it cannot be the recorded one; empty if it can.
    """

    ref: str
    role: str
    name: str
    around: str
    score: float
    reason: str


@attrs.frozen
class ReplayFailure:
    """The step at which a replay stopped. Nothing of it was done if `kind` is ``not_clear``.

    Attributes:
        step: the number of the event in the trace.
        text: what the step does.
        kind: of the error (`TabwrightError.kind`), or ``not_clear`` if no element of the page is
            clearly the recorded one.
        candidates: the elements that fit best, the best first.
    """

    step: int
    text: str
    kind: str
    message: str
    candidates: tuple[ReplayCandidate, ...] = ()


@attrs.frozen
class ReplayReport:
    """The outcome of a replay: the steps that were done, in order, and the one that failed."""

    done: tuple[str, ...]
    failure: ReplayFailure | None = None
