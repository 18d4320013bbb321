"""The videos of a page, as pictures out of them: fetched as the page was, and made small."""

from collections.abc import Sequence

import attrs

from tabwright.actors.kit.address import Address
from tabwright.actors.pages.media_fetching import MediaFetcher
from tabwright.config.settings import ReadingSettings
from tabwright.protocol.extraction import Extractor, Shrink
from tabwright.protocol.page_text import PageText
from tabwright.protocol.snapshot import Medium, SmallPicture
from tabwright.reader.video import Frame, FrameTaker

VIDEOS_MAX = 3
"""So many are tried; pictures are given of the first that shows any."""

NO_PROGRAM = "The videos of the page are not shown: ffmpeg is not installed."
NO_PICTURE = "The videos of the page are not shown: no picture could be taken out of them."


@attrs.frozen
class VideoFrames:
    """What a video shows.

    Attributes:
        notice: why it is nothing; empty where there is none to be shown.
    """

    pictures: tuple[SmallPicture, ...] = ()
    notice: str = ""


@attrs.frozen(eq=False)
class VideoReader:
    """Whoever they are got with.

    Attributes:
        take: takes pictures out of them; None where nobody can.
    """

    media: MediaFetcher
    extractor: Address[Extractor]
    take: FrameTaker | None
    settings: ReadingSettings

    async def frames(self, page: PageText) -> VideoFrames:
        """Pictures out of the first video of a page that shows any, in their order.

        Cancellation stops the loading, and whoever takes them.
        """
        videos = [one for one in page.media if one.kind == "video" and one.url]
        if not videos or not self.settings.video_frames:
            return VideoFrames()
        if self.take is None:
            return VideoFrames(notice=NO_PROGRAM)
        for medium in videos[:VIDEOS_MAX]:
            if fetched := await self.media.fetched(medium, page.session):
                frames = await self.take(fetched.body, self.settings.video_frames)
                if pictures := await self._pictures(medium, frames):
                    return VideoFrames(pictures)
        return VideoFrames(notice=NO_PICTURE)

    async def _pictures(self, medium: Medium, frames: Sequence[Frame]) -> tuple[SmallPicture, ...]:
        wishes = self.settings
        size = wishes.picture_width, wishes.picture_height
        found = [
            await self.extractor.ask(
                Shrink(_shown_at(medium, frame), frame.data, *size, wishes.picture_quality)
            )
            for frame in frames
        ]
        return tuple(picture for picture in found if picture)


def _shown_at(medium: Medium, frame: Frame) -> Medium:
    minutes, seconds = divmod(round(frame.at_s), 60)
    return attrs.evolve(medium, alt=f"{medium.alt} (at {minutes}:{seconds:02})".lstrip())
