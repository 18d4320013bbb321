"""``tabwright browse``: pages at a shell, one or many."""

import sys
from collections.abc import Sequence

from tabwright.app import open_tabwright
from tabwright.cli.batch import BatchOptions, read_all
from tabwright.cli.output import StepLines, json_text, print_outcome
from tabwright.client import Tabwright
from tabwright.config.settings import Settings
from tabwright.content.render.json_record import page_record
from tabwright.environment import Environment
from tabwright.protocol.page_text import PageText
from tabwright.protocol.web_urls import completed
from tabwright.reader.media import MediaFile, MediaFolder, download_media


async def browse(settings: Settings, environment: Environment, order: BatchOptions) -> int:
    """Print a page, or read a batch of pages; return the exit code."""
    if len(order.urls) > 1 or order.output is not None:
        return await read_all(settings, environment, order)

    async def read() -> str:
        """Return the page as text, with its media files if requested."""
        async with open_tabwright(settings, environment) as tabwright:
            (url,) = order.urls
            page = await tabwright.browse(
                completed(url), order.reading, session=order.session, progress=StepLines()
            )
            if order.session:
                await tabwright.save_session(order.session)
            files = await _media_files(tabwright, page, order)
        return _json(page, files) if order.as_json else _text(page)

    return await print_outcome(read, as_json=order.as_json, coded=True)


def _text(page: PageText) -> str:
    if not page.text.strip():
        sys.stderr.write("The page has no matching text.\n")
    return page.text


async def _media_files(
    tabwright: Tabwright, page: PageText, order: BatchOptions
) -> Sequence[MediaFile]:
    """Save the media unchanged, or as reduced pictures, report the folder, and return the files."""
    if not order.wants_media:
        return ()
    folder = MediaFolder(order.media_dir) if order.media_dir else MediaFolder.of(page)
    if order.download_media:
        media, wishes = tabwright.picture_reader.media, tabwright.settings.reading
        files: Sequence[MediaFile] = await download_media(media, page, folder, wishes)
    else:
        # Its pictures, and some out of its video.
        frames = await tabwright.frames(page)
        if frames.notice:
            sys.stderr.write(f"{frames.notice}\n")
        pictures = [(one, 0) for one in await tabwright.pictures(page)]
        pictures += [(one, part) for part, one in enumerate(frames.pictures, start=1)]
        files = [
            await folder.put(one.number, one.url, one.media_type, one.data, part=part)
            for one, part in pictures
        ]
    sys.stderr.write(f"{len(files)} media files saved to {folder.path}.\n")
    return files


def _json(page: PageText, files: Sequence[MediaFile]) -> str:
    kept = [{"number": one.number, "url": one.url, "path": str(one.path)} for one in files]
    return json_text({**page_record(page, media=True), **({"files": kept} if kept else {})})
