"""Elements as playwright-mcp's clients name them."""

from tabwright.actors.kit.address import Address
from tabwright.actors.tools.page_schema import DEFAULT_SESSION
from tabwright.protocol.errors import BadInput
from tabwright.protocol.outlines import REF, TakeOutline
from tabwright.protocol.sessions import InTab, Sessions


async def ref_of(sessions: Address[Sessions], target: str) -> str:
    """The ref of an element that is named by its ref, or by a CSS selector.

    Raises:
        BadInput: there is no such element, or nothing can be done with it.
    """
    if not target or REF.fullmatch(target):
        return target
    taken = await sessions.ask(InTab(DEFAULT_SESSION, TakeOutline(selector=target)))
    if not taken.controls:
        raise BadInput(f"{target} is no control.", advice="Take its ref from browser_snapshot.")
    return taken.controls[0].ref
