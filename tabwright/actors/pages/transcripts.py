"""What is said in the videos and sounds of a page, as far as it is captioned."""

from contextlib import suppress

import attrs
import trio

from tabwright.actors.kit.address import Address
from tabwright.actors.pages.media_fetching import MediaFetcher
from tabwright.content.documents import is_captions, transcript
from tabwright.content.extract import media_type
from tabwright.protocol.blocks import Block, Blocks
from tabwright.protocol.errors import TabwrightError
from tabwright.protocol.extraction import Extractor, TakeSnapshot
from tabwright.protocol.snapshot import Medium, PageSnapshot, Selection

TRANSCRIPTS_MAX = 4
"""Of a page."""

PATIENCE_S = 10.0
"""For all of them together; a page is worth reading without."""


@attrs.frozen(eq=False)
class TranscriptReader:
    """Whoever captions are got with: by HTTP, as far as the settings allow."""

    media: MediaFetcher
    extractor: Address[Extractor]

    async def with_transcripts(self, snapshot: PageSnapshot, session: str) -> PageSnapshot:
        """The snapshot, what is said in its media at the end.

        Captions that cannot be had in time stay what they are, URLs in its list of media.
        Cancellation stops the loading.
        """
        captioned = [medium for medium in snapshot.media if medium.captions]
        said: list[Block] = []
        with trio.move_on_after(PATIENCE_S):
            for medium in captioned[:TRANSCRIPTS_MAX]:
                with suppress(TabwrightError):
                    said += await self._transcript(medium, session)
        return attrs.evolve(snapshot, content=(*snapshot.content, *said))

    async def _transcript(self, medium: Medium, session: str) -> Blocks:
        captions = attrs.evolve(medium, url=medium.captions[0])
        fetched = await self.media.fetched(captions, session)
        if fetched is None or not is_captions(media_type(fetched), fetched.body):
            return ()
        taken = await self.extractor.ask(TakeSnapshot(fetched, Selection(), 1))
        return transcript(medium, taken.snapshot.content)
