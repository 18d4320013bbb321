"""``verify``: assertions about a page, and locators for tests."""

from typing import TYPE_CHECKING, Annotated

import attrs
from msgspec import Meta

from tabwright.mcp.arguments import object_schema
from tabwright.mcp.tool import READS, Tool, ToolContext, ToolResult
from tabwright.mcp.tools.page_arguments import Ref, TabArguments
from tabwright.protocol.actions import WaitFor
from tabwright.protocol.errors import BadInput, TimeOut
from tabwright.protocol.untrusted_text import Parts, quoted

if TYPE_CHECKING:
    from tabwright.client import Tabwright
    from tabwright.plugins.devtools.verify import ElementState

NOT_VERIFIED = "The page is not as expected."

TEXT_S = 1.0
"""Seconds for a text to become visible: the page has settled before."""


@attrs.frozen(kw_only=True)
class VerifyArguments(TabArguments):
    """Arguments of `verify`."""

    text: Annotated[str, Meta(description="This text is visible.")] = ""
    role: Annotated[
        str, Meta(description="An element with this ARIA role, and name if given, is visible.")
    ] = ""
    name: Annotated[str, Meta(description="Accessible name, or a part of it.")] = ""
    ref: Ref = ""
    value: (
        Annotated[
            str,
            Meta(description="The field at ref has this value; true or false for a checkbox."),
        ]
        | None
    ) = None
    items: Annotated[
        tuple[str, ...], Meta(description="The element at ref shows all these texts.")
    ] = ()

    def __attrs_post_init__(self) -> None:
        if self.name and not self.role:
            raise BadInput("name requires role.", advice="Set role, or use text.")
        if self.items and not self.ref:
            raise BadInput("items requires ref.", advice="Set ref to that of the list.")
        if not (self.text or self.role or self.ref):
            raise BadInput("There is nothing to verify.", advice="Set text, role or ref.")

    @property
    def only_names_element(self) -> bool:
        """Return whether nothing is expected of the element at ref."""
        return self.value is None and not (self.items or self.text or self.role)


async def locators(arguments: VerifyArguments, tabwright: "Tabwright") -> ToolResult:
    """Return locators that find an element again."""
    from tabwright.plugins.devtools.verify import GenerateLocators

    found = await tabwright.session(arguments.session).inspect(
        GenerateLocators(arguments.ref), tab=arguments.tab
    )
    lines = (
        f"Locator: {found.locator}",
        f"Playwright: page.{found.playwright}",
        f"CSS: {found.css}",
    )
    return ToolResult(quoted("\n".join(lines)), attrs.asdict(found))


async def verify(arguments: VerifyArguments, context: ToolContext) -> ToolResult:
    """Check all that the call describes, or return locators if it only names an element."""
    tabwright = context.tabwright
    if arguments.only_names_element:
        return await locators(arguments, tabwright)
    problems = [
        *await text_problems(arguments, tabwright),
        *await element_problems(arguments, tabwright),
    ]
    if problems:
        from tabwright.page.outline_text import escape_refs

        error = BadInput(NOT_VERIFIED, advice="Take a snapshot to see it.")
        parts: Parts = (NOT_VERIFIED, *quoted(escape_refs("\n".join(problems))))
        return ToolResult(parts, {"problems": problems}, is_error=True, error=error.details())
    return ToolResult("Verified.", {"problems": []})


async def text_problems(arguments: VerifyArguments, tabwright: "Tabwright") -> list[str]:
    """Return what is wrong about the expected text and role."""
    from tabwright.plugins.devtools.verify import CountVisible

    problems: list[str] = []
    if arguments.text:
        wait = WaitFor((arguments.text,), seconds=TEXT_S)
        try:
            await tabwright.session(arguments.session).act(wait, tab=arguments.tab)
        except TimeOut:
            problems.append(f"Text not found: {arguments.text!r}.")
    if arguments.role:
        request = CountVisible(arguments.role, arguments.name)
        if not await tabwright.session(arguments.session).inspect(request, tab=arguments.tab):
            named = f' and accessible name "{arguments.name}"' if arguments.name else ""
            problems.append(f'Element with role "{arguments.role}"{named} not found.')
    return problems


async def element_problems(arguments: VerifyArguments, tabwright: "Tabwright") -> list[str]:
    """Return what is wrong about the expected value and items of an element."""
    from tabwright.plugins.devtools.verify import ReadElement

    if not arguments.ref:
        return []
    request = ReadElement(arguments.ref)
    state = await tabwright.session(arguments.session).inspect(request, tab=arguments.tab)
    problems = [f'Item "{one}" not found.' for one in arguments.items if one not in state.text]
    if arguments.value is not None:
        value = tabwright.parts.secrets.inserted(arguments.value, None)
        shown = shown_value(state)
        if shown != value:
            problems.append(f'Expected value "{value}", but got "{shown}".')
    return problems


def shown_value(state: "ElementState") -> str:
    """Return the value of a field: its text, or whether it is checked."""
    return state.value if state.checked is None else str(state.checked).lower()


VERIFY = Tool(
    name="verify",
    description="Check that a text or an element is visible, or that a field has a value, and "
    "return an error if not. With ref only, return locators that find the element again, for "
    "tests: by test id, role, label, placeholder, text or CSS, also as Playwright code.",
    output_schema=object_schema(
        {
            "problems": {"type": "array", "items": {"type": "string"}},
            "locator": {"type": "string"},
            "playwright": {"type": "string"},
            "css": {"type": "string"},
        },
        required=[],
    ),
    arguments=VerifyArguments,
    handler=verify,
    group="verify",
    annotations=READS,
)

TOOLS = (VERIFY,)
