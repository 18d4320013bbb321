"""Reading a document with its closed shadow DOM, which no script of a page can look into.

The script that reads the document names the elements that may have one. The browser returns their
roots, and our world of the document gets handles on them, for as long as the document lives.
"""

from tabwright.cdp.domains import dom, runtime
from tabwright.cdp.session import CDPSession
from tabwright.page.errors import script_failed
from tabwright.page.isolated_worlds import IsolatedWorld
from tabwright.page.scripts import NEXT_HOSTS, READ_SOURCE, hosts_of

LEVELS_MAX = 8
"""Closed shadow roots in more of them than these are not read."""

HANDLES = "hosts"
"""The group of the handles on hosts and their roots."""


async def read_document(
    session: CDPSession,
    world: IsolatedWorld,
    *,
    in_use: bool = False,
    part: str = "",
    scrolled: bool = False,
) -> tuple[str, int]:
    """Return the result of `READ_SOURCE`, and the number of elements that were not looked into.

    Args:
        session: of the process of the document.
        world: ours in the document.
        in_use: whether fields have the values that they show.
        part: "body", or empty for all of the document.
        scrolled: whether it was scrolled through for this reading, by `SCROLL_THROUGH`.

    Raises:
        CDPError: the document is gone.
        PageFailed: the script failed.
    """
    values = in_use, part, scrolled
    answer = await world.run(session, READ_SOURCE, values=values)
    left = hosts_of(answer)
    roots: list[str] = []
    for level in range(LEVELS_MAX + 1 if left else 0):
        command = runtime.list_nodes(NEXT_HOSTS, world.handle, group=HANDLES, object_ids=roots)
        listed, _ = await session.execute_both(command, runtime.release_objects(HANDLES))
        if thrown := listed.exception_details:
            raise script_failed(thrown)
        items = listed.result.deep_serialized_value
        if items is None:  # the browser is too old to list nodes
            break
        left = sum(one.value for one in items.value if isinstance(one.value, int))
        found = list(items.closed_roots())
        if not found:
            break
        if level == LEVELS_MAX:
            left += len(found)
            break
        resolving = [dom.resolve_node(root, world.context_id, group=HANDLES) for root in found]
        resolved = await session.execute_all(resolving)
        roots = [one.object.object_id or "" for one in resolved]
    if roots:
        answer = await world.run(session, READ_SOURCE, values=values)
    return answer, left
