"""The documents of a page: its own and that of each iframe, in whatever processes they are.

Each document that was read has a number, which no other document of the tab ever gets, and our
library in its own isolated world. The library remembers the elements that it has named.
"""

import re
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import TypeVar

import attrs
import trio

from tabwright.cdp.domains import dom, dom_debugger, inspector, page, runtime, target
from tabwright.cdp.errors import CDPError, CommandFailed, SessionEnded
from tabwright.cdp.session import CDPSession, keep_attached
from tabwright.cdp.wire import JSON, CDPCommand, Nothing
from tabwright.config.secrets import Secrets
from tabwright.page.errors import script_failed
from tabwright.page.isolated_worlds import IsolatedWorld, enter_world
from tabwright.page.outline_text import escape_refs, refs_in
from tabwright.page.scripts import CALL, HOLD, INSTALL, IS_SHOWN, ORIGIN, read_answer
from tabwright.protocol.errors import BadInput, HintKind, PageFailed
from tabwright.protocol.inspection import REF
from tabwright.protocol.untrusted_text import Message, Quoted
from tabwright.protocol.urls import Bounds, check_place
from tabwright.text.hints import advised

FRAMES_MAX = 40
"""Maximum number of frames that are read; pages with advertisements have hundreds."""

ANSWER_S = 10.0
"""Seconds for a page to return its outline or to run a command; one that takes longer hangs."""

FRAME_ANSWER_S = 2.0
"""The same for a frame of another process, which is skipped if it hangs."""

REPORT_S = 2.0
"""Seconds for a page to report its state, its storage or what it shows; later, it is left out."""

POLL_S = 0.1
"""Seconds between two checks of a page that tells no event."""

LATEST_MAX = 500
"""How many of the latest things of a kind a page remembers, such as requests or dialogs."""

TRIES_MAX = 3
"""A document may disappear during a request; a page that changes it more often is broken."""

UNKNOWN_SESSION = -32001
"""The code of CDP for a command to a target that is gone."""

NO_SELECTOR = re.compile("is not a valid (selector|XPath expression)")
"""Chromium's message about an invalid selector."""

AnswerT = TypeVar("AnswerT")
NextT = TypeVar("NextT")


class StaleElement(BadInput):
    """An element no longer exists.

    Attributes:
        ref: the ref of the element.
    """

    def __init__(self, message: Message, ref: str) -> None:
        super().__init__(message, **advised(HintKind.TAKE_SNAPSHOT))
        self.ref = ref


def unknown_element(ref: str) -> BadInput:
    """Return the error for a ref that was never assigned."""
    return BadInput(f"This tab has no element {ref}.", **advised(HintKind.FIND_ELEMENT))


ANOTHER = {
    "another name": "its name is now",
    "another target": "its target is now",
    "another row": "its row is now",
    "another heading": "its heading is now",
    "another page": "the page is now at",
}
"""The problems of an element that now stands for something else than an outline has shown."""


def another_element(ref: str, was: str, problem: str, now: str) -> StaleElement:
    """Return the error for an element that now stands for something else."""
    changed = Quoted(f'{escape_refs(was)}; {ANOTHER[problem]} "{escape_refs(now)}"')
    message = (f"Element {ref} has changed since it was listed. It was ", changed, ".")
    stale = StaleElement(message, ref)
    stale.retryable = True
    return stale


@attrs.frozen
class _Checked:
    """The problem with the element of a ref, if there is one: see `another_element`."""

    problem: str = ""
    detail: str = ""
    now: str = ""


@attrs.define(eq=False)
class FrameDocument:
    """A document with our library.

    Attributes:
        session: the CDP session of its frame.
        world: ours, where the library is; another one once the document has come back.
        parent: the document around it; None for the page's own.
        owner: the number of its frame's element there.
    """

    number: int
    frame_id: str
    session: CDPSession
    world: IsolatedWorld
    parent: "FrameDocument | None" = None
    owner: int = 0


@attrs.frozen(eq=False)
class ElementHandle:
    """An element that a ref names: its number in its document."""

    document: FrameDocument
    number: int

    @property
    def ref(self) -> str:
        """Return the ref of the element."""
        return f"{self.document.number}.{self.number}"


class FrameUnresponsive(trio.TooSlowError):
    """A frame of another process does not respond; the page itself may."""


class FrameManager:
    """The documents of one page.

    Args:
        session: the session of the page.
        frame_id: its main frame.
        numbers: the document numbers, unique among all tabs.
        bounds: documents outside these bounds are not read.
        secrets: the values that are masked in outlines.
    """

    def __init__(
        self,
        session: CDPSession,
        frame_id: str,
        numbers: Iterator[int],
        bounds: Bounds,
        secrets: Secrets,
    ) -> None:
        self._bounds = bounds
        self._secrets = secrets
        self._session = session
        self._frame_id = frame_id
        self._numbers = numbers
        self._known: dict[int, FrameDocument] = {}
        self._latest: dict[str, FrameDocument] = {}
        self._installing = trio.Lock()
        self._apart: dict[str, CDPSession] = {}
        self._shown: dict[int, set[int] | None] = {}

    @property
    def sessions(self) -> Iterator[CDPSession]:
        """Return the session of the page, and those of its frames in other processes."""
        yield self._session
        yield from (session for session in self._apart.values() if session.failure is None)

    async def attend(self, joined: Callable[[CDPSession], Sequence[CDPCommand[Nothing]]]) -> None:
        """Keep frames of other processes attached, until cancelled or the page is gone.

        Args:
            joined: called with each frame; returns the commands to send to it before it runs.
        """
        welcome = partial(self._welcome, joined)
        await keep_attached(self._session, target.auto_attach_frames(), welcome)

    def has(self, frame_id: str) -> bool:
        """Return whether a frame belongs to the page."""
        known = (document.frame_id for document in self._known.values())
        return frame_id == self._frame_id or frame_id in known

    @property
    def were_used(self) -> bool:
        """Return whether a document of the page was read."""
        return bool(self._known)

    def leave_main(self) -> None:
        """Record that the page has another document: the former one would only refuse commands."""
        self._latest.pop(self._frame_id, None)

    @property
    def known_main(self) -> FrameDocument | None:
        """Return the page's own document as last read; if it is gone, its commands fail."""
        return self._latest.get(self._frame_id)

    async def main(self) -> FrameDocument:
        """Return the page's own document.

        Raises:
            CDPError: the document cannot be reached.
        """
        return await self._document(self._frame_id, self._session)

    async def ask_main(self, name: str, *values: JSON, answer: type[AnswerT]) -> AnswerT:
        """Call a library function in the page's current main document.

        Raises:
            PageFailed: the page changes its document again and again.
        """
        if known := self.known_main:
            with suppress(CommandFailed):  # it is gone
                return await self.call(known, name, *values, answer=answer)
        for _ in range(TRIES_MAX - 1):
            with suppress(CommandFailed):
                return await self.call(await self.main(), name, *values, answer=answer)
        return await self.call(await self.main(), name, *values, answer=answer)

    async def frames(self) -> tuple[FrameDocument, ...]:
        """Return the documents in the page's frames, outer ones before inner ones.

        Raises:
            PageFailed: the page changes its document again and again.
        """
        for _ in range(TRIES_MAX - 1):
            with suppress(CommandFailed):
                return await self._frames()
        try:
            return await self._frames()
        except CommandFailed as error:
            raise PageFailed(("The page keeps navigating: ", Quoted(error.text), ".")) from error

    async def _frames(self) -> tuple[FrameDocument, ...]:
        main = await self.main()
        framed: list[FrameDocument] = []
        waiting = deque([main])
        while waiting and len(framed) < FRAMES_MAX:
            document = waiting.popleft()
            try:
                if document is not main:
                    shown = await self.call(document, "place", answer=ResolvedElement)
                    check_place(shown.url, self._bounds)
                owners = await self.call(document, "frames", answer=tuple[int, ...])
            except (trio.TooSlowError, CommandFailed, BadInput):
                if document is main:
                    raise
                framed.remove(document)
                continue
            for owner in owners[:FRAMES_MAX]:
                if (inner := await self.inside(document, owner)) is not None:
                    waiting.append(inner)
                    framed.append(inner)
        return tuple(framed)

    def masked(self, text: str) -> str:
        """Return a text with the names of secrets in place of their values."""
        return self._secrets.masked(text)

    def show(self, text: str | None) -> None:
        """Note that the elements in a text, or all if it is None, were shown as last listed."""
        if text is None:
            self._shown = dict.fromkeys(self._known)
            return
        for document, number in refs_in(text):
            shown = self._shown.setdefault(document, set())
            if shown is not None:
                shown.add(number)

    def take_shown(self, document: FrameDocument) -> JSON:
        """Return the elements that were shown since the last call; True for all."""
        shown = self._shown.pop(document.number, set())
        return True if shown is None else tuple(shown)

    async def find(self, ref: str) -> ElementHandle:
        """Return the element of a ref, in a document that still exists.

        Raises:
            BadInput: the ref was never assigned.
            StaleElement: the element is gone together with its document, or now stands for
                something else than the outline has shown.
        """
        named = ref.strip().strip("[]*")
        number, _, within = named.partition(".")
        if not REF.fullmatch(named):
            raise BadInput(f"{ref!r} is not a valid ref.", **advised(HintKind.TAKE_REF))
        document = self._known.get(int(number))
        if document is None:
            raise unknown_element(ref)
        element = ElementHandle(document, int(within))
        checked = await self._check(element)
        if checked is None:
            shown = await self.ask_main("place", answer=ResolvedElement)
            where = f"{escape_refs(shown.url)} ({escape_refs(shown.title)})"
            raise StaleElement(
                (f"Element {ref} is gone with its page: the tab is now at ", Quoted(where), "."),
                ref,
            )
        if checked.problem in ANOTHER:
            raise another_element(ref, checked.detail, checked.problem, checked.now)
        return element

    async def origin(self, document: FrameDocument) -> str:
        """Return the origin of a document; ``null`` if it is of no site, such as in a sandbox.

        Raises:
            PageFailed: the document does not know it.
            CDPError: the document is gone.
        """
        with self.in_time(document.session):
            return await call_in_document(document, ORIGIN)

    async def call(
        self, document: FrameDocument, name: str, *values: JSON, answer: type[AnswerT]
    ) -> AnswerT:
        """Call a library function.

        Raises:
            PageFailed: the answer is not one of the library's.
            CDPError: the document is gone.
        """
        asked = _calling(document, name, *values)
        return read_answer(_value(await self.ask(document.session, asked)), answer)

    async def call_after(
        self,
        document: FrameDocument,
        commands: Sequence[CDPCommand[NextT]],
        name: str,
        *values: JSON,
        answer: type[AnswerT],
    ) -> tuple[list[NextT], AnswerT]:
        """Send commands with a call of a library function; return the replies and its answer.

        Raises:
            PageFailed: the answer is not one of the library's.
            CDPError: the document is gone.
        """
        with self.in_time(document.session):
            replies, evaluated = await document.session.execute_then(
                commands, _calling(document, name, *values)
            )
        return replies, read_answer(_value(evaluated), answer)

    async def call_on(
        self, element: ElementHandle, name: str, *values: JSON, answer: type[AnswerT]
    ) -> AnswerT:
        """Call a library function on an element.

        Raises:
            PageFailed: the answer is not one of the library's.
            CDPError: the document is gone.
        """
        return await self.call(element.document, name, element.number, *values, answer=answer)

    async def call_and_hold(
        self, element: ElementHandle, name: str, *values: JSON, holds: str, answer: type[AnswerT]
    ) -> tuple[AnswerT, str | None]:
        """Call a library function on an element; return a handle on the result of a second one too.

        Both calls are sent at once. The handle is None if the second function returns no element.

        Raises:
            PageFailed: the answer is not one of the library's.
            CDPError: the document is gone.
        """
        document = element.document
        with self.in_time(document.session):
            reply, held = await document.session.execute_both(
                _calling(document, name, element.number, *values), _holding(document, holds)
            )
        return read_answer(_value(reply), answer), _handle(held)

    async def handle(self, element: ElementHandle) -> str:
        """Return the id of a handle on an element.

        Raises:
            ElementGone: the element is gone.
        """
        held = await self.hold(element.document, "hold", element.number)
        if held is None:
            raise StaleElement("The element is gone.", element.ref)
        return held

    async def page_handle(self, element: ElementHandle) -> str:
        """Return the id of a handle on an element in the page's main world.

        Raises:
            ElementGone: the element is gone.
        """
        (handle,) = await self.in_page(element.document.session, (await self.handle(element),))
        return handle

    async def page_root(self, document: FrameDocument) -> str:
        """Return the id of a handle on a document in the page's main world.

        Raises:
            CDPError: the document is gone.
        """
        parent = document.parent
        if parent is None or document.session is not parent.session:  # the first of its process
            held = await self.ask(document.session, runtime.document_handle())
            return held.result.object_id or ""
        own = await self.hold(document, "root") or ""
        (root,) = await self.in_page(document.session, (own,))
        return root

    async def in_page(self, session: CDPSession, handles: Sequence[str]) -> list[str]:
        """Return handles in the page's main world on the nodes that our handles are on.

        Raises:
            CDPError: the document is gone.
        """
        with self.in_time(session):
            nodes = await session.execute_all([dom.describe_node(one) for one in handles])
            ids = [one.node.backend_node_id for one in nodes]
            resolved = await session.execute_all([dom.resolve_in_page(one) for one in ids])
        return [one.object.object_id or "" for one in resolved]

    async def handled_events(self, document: FrameDocument, handle: str) -> frozenset[str]:
        """Return the types of the events that scripts listen to on the element of a handle.

        Raises:
            CDPError: the document is gone.
        """
        listed = await self.ask(document.session, dom_debugger.get_event_listeners(handle))
        return frozenset(one.type for one in listed.listeners)

    async def inside(self, document: FrameDocument, owner: int) -> FrameDocument | None:
        """Return the document in a frame, or None if the frame is being removed."""
        try:
            holder = await self.hold(document, "hold", owner)
            if holder is None:
                return None
            described = await self.ask(document.session, dom.describe_node(holder))
            frame_id = described.node.frame_id
            session = self._apart.get(frame_id)
            if session is None or session.failure is not None:
                session = document.session
            return await self._document(frame_id, session, document, owner)
        except (CDPError, trio.TooSlowError):
            return None

    async def _document(
        self,
        frame_id: str,
        session: CDPSession,
        parent: FrameDocument | None = None,
        owner: int = 0,
    ) -> FrameDocument:
        async with self._installing:
            latest = self._latest.get(frame_id)
            if latest is None or latest.session is not session or not await self._is_shown(latest):
                latest = await self._install(frame_id, session, parent, owner)
            self._latest[frame_id] = latest
            return latest

    async def _is_shown(self, document: FrameDocument) -> bool:
        """Return whether a document is still the one in its frame."""
        ask = runtime.call_function_on(IS_SHOWN, document.world.handle)
        try:
            await self.ask(document.session, ask)
        except CommandFailed:
            return False
        return True

    async def _install(
        self, frame_id: str, session: CDPSession, parent: FrameDocument | None, owner: int
    ) -> FrameDocument:
        """Give the document in a frame our library and a number, unless it has come back."""
        values = next(self._numbers), session.id
        with self.in_time(session):
            world = await enter_world(session, frame_id)
            install = runtime.call_function_on(INSTALL, world.handle, values=values)
            number = int(_value(await session.execute(install)))
        document = self._known.get(number)
        if document is None:
            document = FrameDocument(number, frame_id, session, world, parent, owner)
            self._known[number] = document
        document.world = world
        return document

    async def _check(self, element: ElementHandle) -> _Checked | None:
        """Check an element; return None if its document is no longer the one in its frame."""
        document = element.document
        if document.session.failure is not None:
            return None
        shown = self.take_shown(document)
        with suppress(CommandFailed):
            return await self.call_on(element, "checked", shown, answer=_Checked)
        with suppress(CommandFailed):
            if await self._comes_back(document):
                return await self.call_on(element, "checked", shown, answer=_Checked)
        return None

    async def _comes_back(self, document: FrameDocument) -> bool:
        """Return whether a document is in its frame again, from the cache, with its parents."""
        parent = document.parent
        if parent is not None and not await self._comes_back(parent):
            return False
        place = document.frame_id, document.session, parent, document.owner
        return await self._document(*place) is document

    async def hold(self, document: FrameDocument, name: str, *values: JSON) -> str | None:
        """Call a library function, and return a handle on its result, or None for no object.

        Raises:
            CDPError: the document is gone.
        """
        return _handle(await self.ask(document.session, _holding(document, name, *values)))

    async def ask(self, session: CDPSession, command: CDPCommand[AnswerT]) -> AnswerT:
        """Call a function in the document, and return its answer.

        Raises:
            TooSlowError: its process does not respond.
            FrameUnresponsive: the process is that of a frame, and does not respond.
        """
        with self.in_time(session):
            return await session.execute(command)

    @contextmanager
    def in_time(self, session: CDPSession) -> Generator[None]:
        """Limit the time of commands in the block, by the process that has to answer.

        Raises:
            TooSlowError: its process does not respond.
            FrameUnresponsive: the process is that of a frame, and does not respond.
            CommandFailed: the frame of another process is gone; the page itself is still there.
        """
        if session is self._session:
            with trio.fail_after(ANSWER_S):
                yield
            return
        try:
            with trio.fail_after(FRAME_ANSWER_S):
                yield
        except trio.TooSlowError as error:
            raise FrameUnresponsive from error
        except SessionEnded as error:
            raise CommandFailed(error.method, UNKNOWN_SESSION, "the frame is gone") from error

    def _welcome(
        self,
        joined: Callable[[CDPSession], Sequence[CDPCommand[Nothing]]],
        arrival: target.AttachedToTarget,
        session: CDPSession,
    ) -> Sequence[CDPCommand[Nothing]]:
        if arrival.target_info.type != "iframe":
            return ()
        self._apart[arrival.target_info.target_id] = session
        return (inspector.enable(), page.enable(), target.auto_attach_frames(), *joined(session))


@attrs.frozen
class ResolvedElement:
    """The URL and title of a document."""

    url: str
    title: str


async def call_in_document(document: FrameDocument, function: str, *values: JSON) -> str:
    """Call one of our functions that is not in the library, and return its text.

    Raises:
        PageFailed: it threw an error.
        CDPError: the document is gone.
    """
    command = runtime.call_function_on(function, document.world.handle, values=values)
    evaluated = await document.session.execute(command)
    if thrown := evaluated.exception_details:
        raise script_failed(thrown)
    return str(evaluated.result.value)


def _calling(document: FrameDocument, name: str, *values: JSON) -> CDPCommand[runtime.Evaluated]:
    return runtime.call_function_on(CALL, document.world.handle, values=(name, *values))


def _value(evaluated: runtime.Evaluated) -> str:
    _raise_thrown(evaluated)
    return str(evaluated.result.value)


def _holding(document: FrameDocument, name: str, *values: JSON) -> CDPCommand[runtime.Evaluated]:
    return runtime.call_function_on(
        HOLD, document.world.handle, values=(name, *values), by_value=False
    )


def _handle(evaluated: runtime.Evaluated) -> str | None:
    _raise_thrown(evaluated)
    return evaluated.result.object_id


def _raise_thrown(evaluated: runtime.Evaluated) -> None:
    if thrown := evaluated.exception_details:
        if NO_SELECTOR.search(thrown.what):
            raise BadInput(
                "That is not a valid CSS selector or XPath.",
                advice="Use a selector such as form#search > button.",
            )
        raise script_failed(thrown)
