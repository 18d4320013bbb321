"""Opening tabwright in asyncio programs and in their threads."""

import asyncio

import pytest
import trio

from tabwright.app import open_tabwright


async def opened() -> bool:
    async with open_tabwright():
        return True


def test_opening_in_asyncio_program_fails_naming_the_bridge() -> None:
    with pytest.raises(RuntimeError, match="open_tabwright_asyncio"):
        asyncio.run(opened())


def test_opening_in_a_thread_of_an_asyncio_program_works() -> None:
    assert asyncio.run(asyncio.to_thread(trio.run, opened))
