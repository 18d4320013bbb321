"""Where a house can be opened."""

import asyncio

import pytest
import trio

from tabwright import open_tabwright


async def opened() -> bool:
    async with open_tabwright():
        return True


def test_asyncio_is_told_the_way() -> None:
    with pytest.raises(RuntimeError, match=r"asyncio\.to_thread\(trio\.run, main\)"):
        asyncio.run(opened())


def test_the_way_leads_there() -> None:
    assert asyncio.run(asyncio.to_thread(trio.run, opened))
