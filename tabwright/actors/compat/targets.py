"""Elements as playwright-mcp's clients name them."""

from tabwright.actors.kit.address import Address
from tabwright.mcp.tools.page_arguments import DEFAULT_SESSION
from tabwright.protocol.inspection import REF, Locate
from tabwright.protocol.sessions import InTab, Sessions


async def ref_of(sessions: Address[Sessions], target: str) -> str:
    """The ref of the very element that a target names: by its ref, or by a CSS selector.

    Raises:
        BadInput: the selector matches no element, or several.
    """
    if not target or REF.fullmatch(target):
        return target
    return await sessions.ask(InTab(DEFAULT_SESSION, Locate(target)))
