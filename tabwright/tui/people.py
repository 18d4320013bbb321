"""What waits for a person in the server, for as long as the program runs."""

import asyncio
from collections.abc import Callable

from tabwright.tui.errors import TerminalError
from tabwright.tui.pages import Waiting
from tabwright.tui.server_process import Server
from tabwright.tui.web import open_window, what_waits

LOOK_EVERY_S = 3.0


class People:
    """The CAPTCHAs that wait.

    Args:
        say: is called with what there is to tell.
        draw: is called when others wait than before.
    """

    def __init__(
        self, server: Server, say: Callable[[str], None], draw: Callable[[], None]
    ) -> None:
        self._server = server
        self._say = say
        self._draw = draw
        self.waiting: tuple[Waiting, ...] = ()

    async def look(self, is_in_use: Callable[[], bool]) -> None:
        """Asks again and again, until cancelled; not before the server is in use."""
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            if not is_in_use():
                continue
            try:
                waiting = await what_waits(self._server)
            except TerminalError as error:
                self._say(str(error))
            else:
                self.waiting = tuple(one for one in waiting if one.left_s)
                self._draw()

    async def open_first(self) -> None:
        """Opens the window of what has waited longest."""
        if not self.waiting:
            self._say("Nothing waits for you.")
            return
        first = self.waiting[0]
        self._say(f"Opening the window in which {first.site} asks…")
        try:
            await open_window(self._server, first)
        except TerminalError as error:
            self._say(str(error))
        else:
            self._say("Its window is open. What waits for it goes on by itself.")
