"""What is tried again, and when."""

import random

import attrs

from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.messages import Message
from tabwright.http.response import Head
from tabwright.protocol.errors import NavigationFailed

BUSY = frozenset((429, 502, 503, 504))
"""What a server says that may answer in a while (RFC 6585; RFC 9110, section 15.6)."""

PATIENCE_S = 5.0
"""A server that wants to be left alone for longer is; the answer says so."""

BACK_OFF_S = 0.5
"""Before the first repetition; it doubles with each."""


@attrs.frozen(eq=False)
class Retries:
    """How often, and after which pauses.

    Attributes:
        most: how often after the first time.
        chance: takes up to half of each pause off, so that not all come at once.
    """

    most: int
    chance: random.Random

    def pause_after_failure(
        self, failure: NavigationFailed, message: Message, times: int
    ) -> float | None:
        """How long to wait after `times` failures, in seconds; None for giving up.

        What may have reached a server is not asked again, unless asking changes nothing.
        """
        is_safe = isinstance(failure, NotConnected) or message.method == "GET"
        passes = isinstance(failure, NotConnected | BrokenOff) and failure.retryable
        return self._back_off_s(times) if is_safe and passes and times <= self.most else None

    def pause_after_answer(self, head: Head, message: Message, times: int) -> float | None:
        """How long to wait after an answer, in seconds; None for taking it as it is."""
        if head.status not in BUSY or message.method != "GET" or times > self.most:
            return None
        wanted_s = head.retry_after_s
        if wanted_s is None:
            return self._back_off_s(times)
        return max(wanted_s, self._back_off_s(times)) if wanted_s <= PATIENCE_S else None

    def _back_off_s(self, times: int) -> float:
        return BACK_OFF_S * 2.0 ** (times - 1) * (1 - 0.5 * self.chance.random())
