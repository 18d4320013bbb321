"""Taking the outline of a page with all its frames, also of what no script can find out."""

from collections import deque
from collections.abc import Mapping, Sequence

import attrs
import trio

from tabwright.cdp.domains import dom, dom_debugger, runtime
from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON, CDPCommand
from tabwright.config.secrets import Secrets
from tabwright.page.frames import FRAMES_MAX, TRIES_MAX, FrameDocument, FrameManager
from tabwright.page.isolated_worlds import IsolatedWorld
from tabwright.page.outline import DocumentRecord, Outline, mask_secrets, outline_of
from tabwright.page.scripts import INSTALLED
from tabwright.page.shadow_roots import LEVELS_MAX
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds, check_place

# Data about a document that only the browser has: closed shadow roots and listeners. The library in
# the document receives both before it lists the document.

HOSTS = f"function hosts() {{ return {INSTALLED}.hosts(); }}"
"""A function declaration: returns the elements that may have an unknown closed shadow root."""

CLOSED_ROOTS = "closed roots"
"""The group of the handles on these elements and their roots."""

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
    """The known roots and listeners of a document.

    Attributes:
        world: ours in the document; the handles go with it.
        roots: handles in the page's own world on the document and its shadow roots.
        listened: the backend ids of the nodes whose listeners the library knows.
        gets_listeners: whether there were new listeners when they were last asked for.
        has_unread_hosts: whether it has more elements that may have a closed shadow root than were
            looked into.
    """

    world: IsolatedWorld
    roots: list[str]
    listened: set[int] = attrs.field(factory=set[int])
    gets_listeners: bool = True
    has_unread_hosts: bool = False


class HiddenDOM:
    """Provides the library in each document with information that only the browser has.

    Args:
        documents: of the page.
    """

    def __init__(self, documents: FrameManager) -> None:
        self._documents = documents
        self._known: dict[int, _Known] = {}

    async def listed(self, document: FrameDocument, options: JSON) -> DocumentRecord:
        """Return the record of a document, listed with all information about it.

        If its scripts added no listeners lately, they are asked for together with the record, which
        is taken again if there are new ones after all.

        Raises:
            CDPError, TooSlowError: the document is gone, or does not respond.
        """
        known = self._known.get(document.number)
        if known is None or known.world is not document.world:
            root = await self._documents.page_root(document)
            known = self._known[document.number] = _Known(document.world, [root])
        record: DocumentRecord | None = None
        if known.gets_listeners:
            await self._learn_listeners(document)
        else:
            answers, record = await self._documents.call_after(
                document, _asking(known), "listed", options, answer=DocumentRecord
            )
            if await self._learn(document, answers):
                record = None
        record = record or await self._list(document, options)
        if await self._learn_roots(document, record):
            record = await self._list(document, options)
        return record

    async def _list(self, document: FrameDocument, options: JSON) -> DocumentRecord:
        return await self._documents.call(document, "listed", options, answer=DocumentRecord)

    async def _learn_listeners(self, document: FrameDocument) -> bool:
        """Pass to the library the elements that scripts listen to; return whether any are new."""
        asking = _asking(self._known[document.number])
        with self._documents.in_time(document.session):
            answers = await document.session.execute_all(asking)
        return await self._learn(document, answers)

    async def _learn(
        self, document: FrameDocument, answers: Sequence[dom_debugger.Listeners]
    ) -> bool:
        """Pass new listeners to the library; those that were removed since stay known."""
        known = self._known[document.number]
        events: dict[int, set[str]] = {}
        for one in (one for answer in answers for one in answer.listeners):
            if one.type in USER_EVENTS and one.backend_node_id not in known.listened:
                events.setdefault(one.backend_node_id, set()).add(one.type)
        known.gets_listeners = bool(events)
        nodes = tuple(events)[:LISTENED_MAX]
        handles = await self._handles(document, nodes) if nodes else ()
        if not handles:
            return False
        types: list[JSON] = [tuple(sorted(events[node])) for node, _ in handles]
        learn = runtime.call_function_on(
            "function learn(...held) {"
            f" return {INSTALLED}.learnListeners(held.pop(), ...held); }}",
            document.world.handle,
            values=(types,),
            object_ids=tuple(handle for _, handle in handles),
        )
        with self._documents.in_time(document.session):
            await document.session.execute_both(learn, runtime.release_objects(dom.LISTENING))
        known.listened.update(nodes)
        return True

    async def _learn_roots(self, document: FrameDocument, record: DocumentRecord) -> bool:
        """Pass to the library the new shadow roots that `record` has hints of.

        Returns whether it knows more than before.
        """
        learned = bool(record.hosts) and await self._learn_closed_roots(document) > 0
        if record.shadows or learned:
            taken = await self._documents.hold(document, "takeShadowRoots")
            roots = await self._items(document, taken or "")
            handles = await self._documents.in_page(document.session, roots)
            self._known[document.number].roots.extend(handles)
            learned |= await self._learn_listeners(document)
        return learned

    def has_unread_hosts(self, document: FrameDocument) -> bool:
        """Return whether closed shadow roots of the document may not have been looked for."""
        known = self._known.get(document.number)
        return known is not None and known.has_unread_hosts

    async def _learn_closed_roots(self, document: FrameDocument) -> int:
        """Pass closed shadow roots to the library, also those in others; return their number.

        The library names some hundred elements at once that may have one.
        """
        session, world, learned = document.session, document.world, 0
        known = self._known[document.number]
        known.has_unread_hosts = True
        for _ in range(LEVELS_MAX):
            listing = runtime.list_nodes(HOSTS, world.handle, group=CLOSED_ROOTS)
            hosts = (await self._documents.ask(session, listing)).result
            items = hosts.deep_serialized_value
            if (
                items is None or not items.value
            ):  # the first in an old browser, which lists no nodes
                known.has_unread_hosts = False
                break
            roots = list(items.closed_roots())
            resolving = [
                dom.resolve_node(one, world.context_id, group=CLOSED_ROOTS) for one in roots
            ]
            with self._documents.in_time(session):
                resolved = await session.execute_all(resolving)
            handles = [one.object.object_id or "" for one in resolved]
            learn = runtime.call_function_on(
                f"function learn(...held) {{ return {INSTALLED}.learnRoots(...held); }}",
                world.handle,
                object_ids=(hosts.object_id, *handles),
            )
            with self._documents.in_time(session):
                await session.execute_both(learn, runtime.release_objects(CLOSED_ROOTS))
            learned += len(roots)
        return learned

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
            dom.resolve_node(node, document.world.context_id, group=dom.LISTENING) for node in nodes
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


def _asking(known: _Known) -> list[CDPCommand[dom_debugger.Listeners]]:
    """Return the commands that list the listeners of a document."""
    return [dom_debugger.get_page_listeners(root) for root in known.roots]


class Outliner:
    """Takes outlines of one page.

    Args:
        documents: of the page.
        bounds: documents outside these bounds are not read.
        secrets: the values that are masked.
    """

    def __init__(self, documents: FrameManager, bounds: Bounds, secrets: Secrets) -> None:
        self._documents = documents
        self._bounds = bounds
        self._secrets = secrets
        self._hidden = HiddenDOM(documents)

    async def take(
        self, options: Mapping[str, JSON], start: FrameDocument | None = None
    ) -> Outline:
        """Return the outline of the page, or of the part that a ref names, with all its frames.

        Raises:
            BadInput: the start element does not exist.
            PageFailed: the page changes its document again and again.
        """
        first = start or self._documents.known_main
        for _ in range(TRIES_MAX):
            try:
                return await self._take(options, first or await self._documents.main())
            except CommandFailed:
                if start is not None:
                    raise
                first = None
        try:
            return await self._take(options, await self._documents.main(), frames_change=True)
        except CommandFailed as error:
            raise PageFailed(("The page keeps navigating: ", Quoted(error.text), ".")) from error

    async def _take(
        self, options: Mapping[str, JSON], first: FrameDocument, *, frames_change: bool = False
    ) -> Outline:
        """Return the outline; with `frames_change`, without frames that change meanwhile."""
        records: dict[int, DocumentRecord] = {}
        inside: dict[tuple[int, int], int] = {}
        waiting = deque([(first, options)])
        unread_hosts = False
        while waiting and len(records) < FRAMES_MAX:
            document, own_options = waiting.popleft()
            try:
                own_options = {**own_options, "shown": self._documents.take_shown(document)}
                record = await self._hidden.listed(document, own_options)
                check_place(record.url, self._bounds)
            except (trio.TooSlowError, BadInput):
                if document is first:
                    raise
                continue
            except CommandFailed:
                if document is first or not frames_change:
                    raise
                continue
            records[document.number] = record
            unread_hosts |= self._hidden.has_unread_hosts(document)
            room = FRAMES_MAX - len(records) - len(waiting)
            for place, owner in enumerate(record.owners[: max(room, 0)]):
                if (inner := await self._documents.inside(document, owner)) is not None:
                    inside[document.number, place] = inner.number
                    kept = {name: options.get(name, False) for name in ("whole", "searches")}
                    waiting.append((inner, kept))
        if not records[first.number].found:
            raise BadInput("No such element.", advice="Check the ref.")
        outline = outline_of(records, {at: n for at, n in inside.items() if n in records})
        outline = attrs.evolve(outline, unread_hosts=unread_hosts)
        return mask_secrets(outline, self._secrets)
