"""What a browser says of itself, from what it tells of itself."""

import pytest

from tabwright.browser.identity import Identity

HINTS = {"platform": "Linux"}


class Told:
    """A browser that is asked for its client hints, and tells what it does one after the other."""

    def __init__(self, *answers):
        self._answers = iter(answers)

    async def ask(self):
        return next(self._answers)


def hints_in(command):
    return command.params.get("userAgentMetadata")


async def test_a_browser_that_did_not_tell_is_asked_again() -> None:
    kept = []
    told, identity = Told(None, HINTS), Identity("Chrome/1", keep=kept.append)
    commands = [await identity.command(told.ask) for _ in range(3)]
    assert [hints_in(command) for command in commands] == [None, HINTS, HINTS]
    assert kept == [HINTS]


@pytest.mark.parametrize("hints", [HINTS, {}])
async def test_whoever_has_told_is_not_asked_again(hints) -> None:
    told, identity = Told(hints), Identity("Chrome/1")
    commands = [await identity.command(told.ask) for _ in range(2)]
    assert [hints_in(command) for command in commands] == [hints or None] * 2
