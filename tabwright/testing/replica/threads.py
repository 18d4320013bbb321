"""The conversations that pages show, as the server remembers them."""

import attrs

from tabwright.testing.replica.links import sealed
from tabwright.testing.replica.turns import Turn


@attrs.define
class Thread:
    """The conversation of one page.

    Attributes:
        path: where the page was loaded from; empty where that was not seen.
        turns: oldest first.
        reloading: whether the page was told to load itself again.
    """

    path: str = ""
    turns: list[Turn] = attrs.field(factory=list[Turn])
    reloading: bool = False


class Threads:
    """All conversations, each under the tokens that its page was given; they outlive scenarios."""

    def __init__(self) -> None:
        self._by_token: dict[str, Thread] = {}

    def load(self, path: str) -> tuple[str, Thread]:
        """Gives a page that is loaded a token, and its thread: a new one unless it reloads."""
        thread = self._reloaded(path) or Thread(path)
        token = sealed(f"{len(self._by_token)} tokens")
        self._by_token[token] = thread
        return token, thread

    def _reloaded(self, path: str) -> Thread | None:
        for thread in self._by_token.values():
            if thread.reloading and thread.path == path:
                thread.reloading = False
                return thread
        return None

    def find(self, token: str) -> Thread:
        """Gives the thread of a token, a new one for a token that was never given."""
        return self._by_token.setdefault(token, Thread())
