"""Taking the outline of a page with all its frames."""

from collections import deque
from collections.abc import Mapping

import trio

from tabwright.cdp.errors import CommandFailed
from tabwright.cdp.wire import JSON
from tabwright.config.secrets import Secrets
from tabwright.page.frames import FRAMES_MAX, TRIES_MAX, FrameDocument, FrameManager
from tabwright.page.hidden_dom import HiddenDOM
from tabwright.page.outline import DocumentRecord, Outline, mask_secrets, outline_of
from tabwright.protocol.errors import BadInput, PageFailed
from tabwright.protocol.untrusted_text import Quoted
from tabwright.protocol.urls import Bounds, check_place


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
        for _ in range(TRIES_MAX - 1):
            try:
                return await self._take(options, start)
            except CommandFailed:
                if start is not None:
                    raise
        try:
            return await self._take(options, start)
        except CommandFailed as error:
            raise PageFailed(("The page keeps navigating: ", Quoted(error.text), ".")) from error

    async def _take(self, options: Mapping[str, JSON], start: FrameDocument | None) -> Outline:
        first = start or await self._documents.main()
        records: dict[int, DocumentRecord] = {}
        inside: dict[tuple[int, int], int] = {}
        waiting = deque([(first, options)])
        while waiting and len(records) < FRAMES_MAX:
            document, own_options = waiting.popleft()
            try:
                # The record is taken again if the library has learned more for it.
                await self._hidden.learn_listeners(document)
                record = await self._documents.call(
                    document, "listed", own_options, answer=DocumentRecord
                )
                if await self._hidden.learn_roots(document, record):
                    record = await self._documents.call(
                        document, "listed", own_options, answer=DocumentRecord
                    )
                check_place(record.url, self._bounds)
            except (trio.TooSlowError, BadInput):
                if document is first:
                    raise
                continue
            records[document.number] = record
            room = FRAMES_MAX - len(records) - len(waiting)
            for place, owner in enumerate(record.owners[: max(room, 0)]):
                if (inner := await self._documents.inside(document, owner)) is not None:
                    inside[document.number, place] = inner.number
                    waiting.append((inner, {"whole": options.get("whole", False)}))
        if not records[first.number].found:
            raise BadInput("No such element.", advice="Check the ref.")
        outline = outline_of(records, {at: n for at, n in inside.items() if n in records})
        return mask_secrets(outline, self._secrets)
