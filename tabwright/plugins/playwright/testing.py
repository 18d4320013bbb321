"""The tools of the capability ``testing``: assertions, and locators for tests."""

from typing import Annotated, Literal

from msgspec import Meta

from tabwright.mcp.tool import READS, ToolContext, ToolResult
from tabwright.plugins.devtools import verify_tools
from tabwright.plugins.playwright.targets import PlaywrightArguments, Target, ref_of
from tabwright.plugins.playwright.tool import playwright_tool


class BrowserVerifyElementVisible(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_verify_element_visible`."""

    role: str
    accessible_name: str


async def element_visible(
    arguments: BrowserVerifyElementVisible, context: ToolContext
) -> ToolResult:
    """Verify that an element is visible."""
    ours = verify_tools.VerifyArguments(role=arguments.role, name=arguments.accessible_name)
    return await _verified(ours, context)


class BrowserVerifyTextVisible(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_verify_text_visible`."""

    text: str


async def text_visible(arguments: BrowserVerifyTextVisible, context: ToolContext) -> ToolResult:
    """Verify that a text is visible."""
    return await _verified(verify_tools.VerifyArguments(text=arguments.text), context)


class BrowserVerifyListVisible(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_verify_list_visible`."""

    element: str = ""
    target: Target
    items: Annotated[tuple[str, ...], Meta(min_length=1)]


async def list_visible(arguments: BrowserVerifyListVisible, context: ToolContext) -> ToolResult:
    """Verify that a list has items."""
    ref = await ref_of(context.tabwright, arguments.target)
    return await _verified(verify_tools.VerifyArguments(ref=ref, items=arguments.items), context)


class BrowserVerifyValue(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_verify_value`."""

    type: Literal["textbox", "checkbox", "radio", "combobox", "slider"]
    element: str = ""
    target: Target
    value: str


async def value(arguments: BrowserVerifyValue, context: ToolContext) -> ToolResult:
    """Verify the value of a field."""
    ref = await ref_of(context.tabwright, arguments.target)
    return await _verified(verify_tools.VerifyArguments(ref=ref, value=arguments.value), context)


async def _verified(ours: verify_tools.VerifyArguments, context: ToolContext) -> ToolResult:
    """Verify what our tool does, and confirm it in the word of playwright-mcp."""
    result = await verify_tools.verify(ours, context)
    return result if result.is_error else ToolResult("Done.")


class BrowserGenerateLocator(PlaywrightArguments, frozen=True, kw_only=True):
    """Arguments of `browser_generate_locator`."""

    element: str = ""
    target: Target


async def generate_locator(arguments: BrowserGenerateLocator, context: ToolContext) -> ToolResult:
    """Return locators for an element."""
    ref = await ref_of(context.tabwright, arguments.target)
    return await verify_tools.verify(verify_tools.VerifyArguments(ref=ref), context)


TOOLS = (
    playwright_tool(
        "browser_verify_element_visible",
        "Verify that an element is visible.",
        BrowserVerifyElementVisible,
        element_visible,
        READS,
        group="verify",
    ),
    playwright_tool(
        "browser_verify_text_visible",
        "Verify that a text is visible.",
        BrowserVerifyTextVisible,
        text_visible,
        READS,
        group="verify",
    ),
    playwright_tool(
        "browser_verify_list_visible",
        "Verify that a list shows items.",
        BrowserVerifyListVisible,
        list_visible,
        READS,
        group="verify",
    ),
    playwright_tool(
        "browser_verify_value",
        "Verify the value of a field.",
        BrowserVerifyValue,
        value,
        READS,
        group="verify",
    ),
    playwright_tool(
        "browser_generate_locator",
        "Return locators for an element.",
        BrowserGenerateLocator,
        generate_locator,
        READS,
        group="verify",
    ),
)
