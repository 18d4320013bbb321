"""The pictures of a page: fetched as the page was, and made small."""

from functools import partial

import attrs

from tabwright.actors.address import Address
from tabwright.actors.grant import granted
from tabwright.actors.tiers import host_of
from tabwright.config.settings import ReadingSettings
from tabwright.protocol.asking import Ending
from tabwright.protocol.errors import Refusal
from tabwright.protocol.fetching import Fetch, Fetcher
from tabwright.protocol.pages import ERROR_STATUS_MIN
from tabwright.protocol.permits import Governor, Permit
from tabwright.protocol.pictures import SmallPicture
from tabwright.protocol.reading import Extractor, Shrink
from tabwright.protocol.snapshots import Medium
from tabwright.protocol.views import PageText

TRIES_PER_PICTURE = 3
"""Many a picture is too small to be looked at, or gone."""


@attrs.frozen(eq=False)
class PictureReader:
    """Whoever pictures are got with."""

    governor: Address[Governor]
    fetcher: Address[Fetcher]
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
        try:
            async with granted(self.governor, partial(_permit, host_of(medium.url))):
                fetched = await self.fetcher.ask(Fetch(medium.url, session))
        except Refusal:  # the words of the page stand for it
            return None
        if fetched.page.status >= ERROR_STATUS_MIN:
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


def _permit(host: str, over: Ending) -> Permit:
    return Permit(over, host)
