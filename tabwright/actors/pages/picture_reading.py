"""The pictures of a page: fetched as the page was, and made small."""

import attrs

from tabwright.actors.kit.address import Address
from tabwright.actors.pages.media_fetching import MediaFetcher
from tabwright.config.settings import ReadingSettings
from tabwright.protocol.extraction import Extractor, Shrink
from tabwright.protocol.page_text import PageText
from tabwright.protocol.snapshot import Medium, SmallPicture

TRIES_PER_PICTURE = 3
"""Many a picture is too small to be looked at, or gone."""


@attrs.frozen(eq=False)
class PictureReader:
    """Whoever pictures are got with."""

    media: MediaFetcher
    extractor: Address[Extractor]
    settings: ReadingSettings

    async def pictures(self, page: PageText) -> tuple[SmallPicture, ...]:
        """The first pictures of a page; what cannot be had, or is too small, is left out.

        Cancellation stops the loading.
        """
        images = [one for one in page.media if one.kind == "image" and one.url]
        found: list[SmallPicture] = []
        for medium in images[: TRIES_PER_PICTURE * self.settings.pictures_max]:
            if picture := await self._picture(medium, page.session):
                found.append(picture)
            if len(found) == self.settings.pictures_max:
                break
        return tuple(found)

    async def _picture(self, medium: Medium, session: str) -> SmallPicture | None:
        fetched = await self.media.fetched(medium, session)
        if fetched is None:
            return None
        return await self.extractor.ask(
            Shrink(
                medium,
                fetched.body,
                self.settings.picture_width,
                self.settings.picture_height,
                self.settings.picture_quality,
            )
        )
