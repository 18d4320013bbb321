"""What only the browser knows of a document: closed shadow roots and listeners.

The library in the document learns both, because no script can find them out.
"""

from collections.abc import Sequence

import attrs

from tabwright.cdp.domains import dom, dom_debugger, runtime
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON
from tabwright.page.frames import FrameDocument, FrameManager
from tabwright.page.outline import DocumentRecord

LISTENED_MAX = 1000
"""Maximum number of elements whose listeners are learned for one outline."""

USER_EVENTS = frozenset({
    "click", "dblclick", "contextmenu", "mousedown", "mouseup", "pointerdown", "pointerup",
    "touchstart", "touchend", "mouseenter", "mouseover", "pointerenter", "pointerover", "mousemove",
    "pointermove", "dragenter", "dragover", "drop",
})  # fmt: skip
"""The events that show that an element can be used."""


@attrs.define(eq=False)
class _Known:
    """What is known of a document.

    Attributes:
        roots: handles in the page's own world on the document and its shadow roots.
        listened: the backend ids of the nodes whose listeners the library knows.
    """

    roots: list[str]
    listened: set[int] = attrs.field(factory=set[int])


class HiddenDOM:
    """Provides the library in each document with information that only the browser has.

    Args:
        documents: of the page.
    """

    def __init__(self, documents: FrameManager) -> None:
        self._documents = documents
        self._known: dict[int, _Known] = {}

    async def learn_listeners(self, document: FrameDocument) -> bool:
        """Pass to the library the elements that scripts listen to; return whether any are new.

        Listeners that were removed since stay known.

        Raises:
            CDPError, TooSlowError: the document is gone, or does not respond.
        """
        known = self._known.get(document.number)
        if known is None:
            held = await self._documents.hold(document, "root") or ""
            root = await self._documents.in_page(document.session, (held,))
            known = self._known[document.number] = _Known(root)
        asking = [dom_debugger.get_page_listeners(root) for root in known.roots]
        with self._documents.in_time(document.session):
            answers = await document.session.execute_all(asking)
        events: dict[int, set[str]] = {}
        for one in (one for answer in answers for one in answer.listeners):
            if one.type in USER_EVENTS and one.backend_node_id not in known.listened:
                events.setdefault(one.backend_node_id, set()).add(one.type)
        nodes = tuple(events)[:LISTENED_MAX]
        handles = await self._handles(document, nodes) if nodes else ()
        if not handles:
            return False
        types: list[JSON] = [tuple(sorted(events[node])) for node, _ in handles]
        learn = runtime.call_function_on(
            "function learn(...held) {"
            " return globalThis.tabwright.learnListeners(held.pop(), ...held); }",
            document.context_id,
            values=(types,),
            object_ids=tuple(handle for _, handle in handles),
        )
        with self._documents.in_time(document.session):
            await document.session.execute_both(learn, runtime.release_objects(dom.LISTENING))
        known.listened.update(nodes)
        return True

    async def learn_roots(self, document: FrameDocument, record: DocumentRecord) -> bool:
        """Pass to the library the new shadow roots that `record` has hints of.

        Returns whether it knows more than before.

        Raises:
            CDPError, TooSlowError: see `learn_listeners`.
        """
        learned = bool(record.hosts) and await self._learn_closed_roots(document) > 0
        if record.shadows or learned:
            taken = await self._documents.hold(document, "takeShadowRoots")
            roots = await self._items(document, taken or "")
            handles = await self._documents.in_page(document.session, roots)
            self._known[document.number].roots.extend(handles)
            learned |= await self.learn_listeners(document)
        return learned

    async def _learn_closed_roots(self, document: FrameDocument) -> int:
        """Pass closed shadow roots to the library; return their number."""
        hosts = await self._documents.hold(document, "hosts")
        if hosts is None:
            return 0
        session, ask = document.session, self._documents.ask
        elements = await self._items(document, hosts)
        nodes = [await ask(session, dom.describe_node(one)) for one in elements]
        roots = [root.backend_node_id for node in nodes for root in node.node.shadow_roots
                 if root.shadow_root_type == "closed"]  # fmt: skip
        resolving = [dom.resolve_node(root, document.context_id) for root in roots]
        handles = [(await ask(session, one)).object.object_id or "" for one in resolving]
        learn = runtime.call_function_on(
            "function learn(...held) { return globalThis.tabwright.learnRoots(...held); }",
            document.context_id,
            object_ids=(hosts, *handles),
        )
        await ask(session, learn)
        return len(handles)

    async def _items(self, document: FrameDocument, handle: str) -> list[str]:
        """Return handles on the items of an array."""
        listed = await self._documents.ask(document.session, runtime.get_properties(handle))
        return [
            one.value.object_id
            for one in listed.result
            if one.name.isdecimal() and one.value and one.value.object_id
        ]

    async def _handles(
        self, document: FrameDocument, nodes: Sequence[int]
    ) -> tuple[tuple[int, str], ...]:
        """Return handles on nodes, each with its node, without those that have disappeared."""
        resolving = [
            dom.resolve_node(node, document.context_id, group=dom.LISTENING) for node in nodes
        ]
        with self._documents.in_time(document.session):
            try:
                resolved = await document.session.execute_all(resolving)
            except CommandFailed:
                if len(nodes) == 1:
                    return ()
                middle = len(nodes) // 2
                return (
                    *await self._handles(document, nodes[:middle]),
                    *await self._handles(document, nodes[middle:]),
                )
        handles = (one.object.object_id for one in resolved)
        return tuple((node, handle) for node, handle in zip(nodes, handles, strict=True) if handle)
