"""``tabwright browse``: pages at a shell, one or many."""

from pathlib import Path

import trio

from tabwright.actors.house import Seams, Tabwright, open_tabwright
from tabwright.actors.reading_order import Order
from tabwright.actors.shell_batch import read_all
from tabwright.actors.shell_steps import StepLines
from tabwright.actors.terminal import json_text, print_outcome
from tabwright.config.settings import Settings
from tabwright.protocol.errors import BadInput
from tabwright.protocol.sessions import SaveSession
from tabwright.protocol.views import PageText
from tabwright.reading.page_record import page_record


async def browse(settings: Settings, seams: Seams, order: Order) -> int:
    """Prints a page, or reads a batch of them; gives the exit code."""
    if len(order.urls) > 1 or order.output is not None:
        return await read_all(settings, seams, order)

    async def read() -> str:
        async with open_tabwright(settings, seams) as house:
            page = await _read(house, order)
        return json_text(page_record(page, media=True)) if order.as_json else page.text.rstrip("\n")

    return await print_outcome(read, as_json=order.as_json, coded=True)


async def _read(house: Tabwright, order: Order) -> PageText:
    (url,) = order.urls
    page = await house.browse(url, order.reading, session=order.session, progress=StepLines())
    if order.session:
        await house.sessions.ask(SaveSession(order.session))
    if order.media_dir is not None:
        await _put_pictures(house, page, order.media_dir)
    return page


async def _put_pictures(house: Tabwright, page: PageText, folder: Path) -> None:
    """Writes them under names of our own: a page's are never a path."""
    place = trio.Path(folder)
    for picture in await house.pictures(page):
        ending = picture.media_type.rpartition("/")[2]
        try:
            await place.mkdir(parents=True, exist_ok=True)
            await (place / f"{picture.number:03}.{ending}").write_bytes(picture.data)
        except OSError as error:
            raise BadInput(
                f"{folder} cannot be written to: {error}.", advice="Take another --media-dir."
            ) from error
