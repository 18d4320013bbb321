"""Checking what a page shows, and generating locators for its elements."""

from collections.abc import AsyncIterator, Iterable, Iterator

import attrs
import msgspec
import trio

from tabwright.cdp.domains import accessibility, runtime
from tabwright.cdp.domains.accessibility import AXNode
from tabwright.cdp.errors import CommandFailed
from tabwright.page.action_runner import ActionRunner, answers
from tabwright.page.errors import script_failed
from tabwright.page.frames import ANSWER_S, FrameDocument
from tabwright.page.scripts import load_script, read_answer
from tabwright.protocol.inspection import Inspection
from tabwright.protocol.locators import SEPARATOR
from tabwright.protocol.quotation_marks import double_quoted
from tabwright.text.lines import collapse_whitespace

_STATE = load_script("element_state", "tabwright.plugins.devtools")

ARIA_ROLES = {"image": "img", "menulistpopup": "listbox", "menulistoption": "option"}
"""Roles of Chromium that ARIA names differently, in lower case."""

NO_NAME = frozenset({"", "generic", "none", "statictext"})
"""Roles that do not tell an element from others."""

TEXT_MAX = 60
"""Maximum characters of a text that is used to find an element."""


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


@attrs.frozen
class ElementFacts:
    """The state of an element, and what it can be found by; `element_state.js` returns it."""

    value: str
    checked: bool | None
    text: str
    testId: str  # noqa: N815  (as the script writes it)
    placeholder: str
    css: str


def aria_role(node: AXNode) -> str:
    """Return the role of a node as ARIA names it; empty if it is not visible to screen readers."""
    role = str(node.role.value or "").lower()
    return "" if node.ignored else ARIA_ROLES.get(role, role)


def accessible_name(node: AXNode) -> str:
    """Return the name of a node."""
    return collapse_whitespace(str(node.name.value or ""))


def count_nodes(nodes: Iterable[AXNode], role: str, name: str, *, exact: bool = False) -> int:
    """Return the number of nodes with a role and a name, or a part of one, regardless of case."""
    wanted = collapse_whitespace(name)
    if exact:
        return sum(aria_role(one) == role and accessible_name(one) == wanted for one in nodes)
    return sum(
        aria_role(one) == role.lower() and wanted.casefold() in accessible_name(one).casefold()
        for one in nodes
    )


@answers(CountVisible)
async def count_visible(runner: ActionRunner, request: CountVisible) -> int:
    count = 0
    async for nodes in _trees(runner):
        count += count_nodes(nodes, request.role, request.name)
    return count


async def _trees(runner: ActionRunner) -> AsyncIterator[tuple[AXNode, ...]]:
    """Yield the accessibility tree of each document of the page."""
    documents = (await runner.documents.main(), *await runner.documents.frames())
    for document in documents:
        try:
            yield await _tree(document)
        except (CommandFailed, trio.TooSlowError):
            if document is documents[0]:
                raise


async def _tree(document: FrameDocument) -> tuple[AXNode, ...]:
    with trio.fail_after(ANSWER_S):
        command = accessibility.get_full_tree(document.frame_id)
        return (await document.session.execute(command)).nodes


@answers(ReadElement)
async def read_element(runner: ActionRunner, request: ReadElement) -> ElementState:
    _, _, found = await _inspect(runner, request.ref)
    return ElementState(found.value, found.checked, found.text)


async def _inspect(runner: ActionRunner, ref: str) -> tuple[FrameDocument, str, ElementFacts]:
    """Return the document of an element, a handle on it, and what the script says about it."""
    element = await runner.targets.find(ref)
    handle = await runner.documents.handle(element)
    with trio.fail_after(ANSWER_S):
        evaluated = await element.document.session.execute(runtime.call_on(_STATE, (handle,)))
    if thrown := evaluated.exception_details:
        raise script_failed(thrown)
    answer = msgspec.json.decode(bytes(evaluated.result.value), type=str)
    return element.document, handle, read_answer(answer, ElementFacts)


@answers(GenerateLocators)
async def generate_locators(runner: ActionRunner, request: GenerateLocators) -> Locators:
    document, handle, found = await _inspect(runner, request.ref)
    with trio.fail_after(ANSWER_S):
        command = accessibility.get_node(handle)
        nodes = (await document.session.execute(command)).nodes
    tree = await _tree(document)
    role, name = (aria_role(nodes[0]), accessible_name(nodes[0])) if nodes else ("", "")
    role_is_unique = role not in NO_NAME and count_nodes(tree, role, name, exact=True) == 1
    text = found.text if len(found.text) <= TEXT_MAX else ""
    text_is_unique = bool(text) and count_nodes(tree, "statictext", text, exact=True) == 1
    ways = locator_ways(
        found,
        (role, name) if role_is_unique else ("", ""),
        text=text if text_is_unique else "",
    )
    # A locator is split at its separator before its texts are read.
    locator, playwright = next(
        one for one in ways if SEPARATOR not in one[0] or one[0] == found.css
    )
    return Locators(locator, playwright, found.css)


def locator_ways(
    found: ElementFacts, role: tuple[str, str], *, text: str
) -> Iterator[tuple[str, str]]:
    """Yield the ways to find an element again, the best first: a locator, and Playwright code.

    Args:
        found: the facts about the element.
        role: its role and name; empty if other elements have the same.
        text: its text; empty if it occurs elsewhere.
    """
    kind, name = role
    if found.testId:
        yield f"testid={double_quoted(found.testId)}", f"getByTestId({_code(found.testId)})"
    if kind and name:
        options = f"{{ name: {_code(name)}, exact: true }}"
        yield f"role={kind}[name={double_quoted(name)}]", f"getByRole({_code(kind)}, {options})"
    if found.placeholder:
        code = f"getByPlaceholder({_code(found.placeholder)}, {{ exact: true }})"
        yield f"placeholder={double_quoted(found.placeholder)}", code
    if text:
        yield f"text={double_quoted(text)}", f"getByText({_code(text)}, {{ exact: true }})"
    if kind and not name:
        yield f"role={kind}", f"getByRole({_code(kind)})"
    yield found.css, f"locator({_code(found.css)})"


def _code(text: str) -> str:
    """Return a text as a string of JavaScript."""
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
    return f"'{escaped}'"
