"""``tabwright read`` for one page; `tabwright.cli.batch` reads many."""

from collections.abc import Sequence

from tabwright.cli.batch import BatchOptions
from tabwright.cli.output import json_text
from tabwright.cli.query import Asked, Query
from tabwright.content.render.json_record import page_record
from tabwright.protocol.page_text import PageText
from tabwright.protocol.web_urls import completed
from tabwright.reader.media import (
    MediaFile,
    MediaFolder,
    canvas_notice,
    download_media,
    with_notices,
)

MEDIA_DIR = "--media-dir saves them"


def page_query(order: BatchOptions) -> Query:
    """Return the query for a single page."""

    async def read(asked: Asked) -> str:
        """Return the page as text, with its media files if requested."""
        tabwright = asked.tabwright
        (url,) = order.urls
        page = await tabwright.read(
            completed(url), order.reading, session=order.session, progress=asked.progress
        )
        if order.session:
            await tabwright.session(order.session).save()
        if not order.wants_media:
            page = with_notices(page, canvas_notice(page, None, MEDIA_DIR))
        files = await _media_files(asked, page, order)
        if not order.as_json and page.notice:
            asked.notice(page.notice)
        if not order.as_json:
            return page.text
        kept = [{"number": one.number, "url": one.url, "path": str(one.path)} for one in files]
        return json_text({**page_record(page, media=True), **({"files": kept} if kept else {})})

    return Query(ask=read, as_json=order.as_json, coded=True)


async def _media_files(asked: Asked, page: PageText, order: BatchOptions) -> Sequence[MediaFile]:
    """Save the media unchanged, or as reduced pictures, report the folder, and return the files."""
    if not order.wants_media:
        return ()
    tabwright = asked.tabwright
    folder = MediaFolder(order.media_dir) if order.media_dir else MediaFolder.of(page)
    if order.download_media:
        media, bytes_max = (
            tabwright.parts.picture_reader.media,
            tabwright.settings.acting.file_bytes_max,
        )
        files: Sequence[MediaFile] = await download_media(media, page, folder, bytes_max)
    else:
        # Its pictures, and some out of its video.
        frames = await tabwright.frames(page)
        if frames.notice:
            asked.notice(frames.notice)
        pictures = [(one, 0) for one in await tabwright.pictures(page)]
        pictures += [(one, part) for part, one in enumerate(frames.pictures, start=1)]
        files = [
            await folder.put(one.number, one.url, one.media_type, one.data, part=part)
            for one, part in pictures
        ]
    asked.notice(f"{len(files)} media files saved to {folder.path}.")
    return files
