"""What is tried again, and when."""

import random

import attrs

from tabwright.concurrency.timers import Backoff
from tabwright.http.errors import BrokenOff, NotConnected
from tabwright.http.messages import RequestMessage
from tabwright.http.response import ResponseHead
from tabwright.protocol.errors import NavigationFailed

BUSY = frozenset((429, 502, 503, 504))
"""What a server says that may answer in a while (RFC 6585; RFC 9110, section 15.6)."""

PATIENCE_S = 5.0
"""A server that wants to be left alone for longer is; the answer says so."""

BACKOFF = Backoff(first_s=0.5)


@attrs.frozen(eq=False)
class Retries:
    """How often, and after which pauses.

    Attributes:
        most: how often after the first time.
        chance: for the jitter of the pauses.
    """

    most: int
    chance: random.Random

    def pause_after_failure(
        self, failure: NavigationFailed, message: RequestMessage, times: int
    ) -> float | None:
        """How long to wait after `times` failures, in seconds; None for giving up.

        What may have reached a server is not asked again, unless asking changes nothing.
        """
        is_safe = isinstance(failure, NotConnected) or message.method == "GET"
        passes = isinstance(failure, NotConnected | BrokenOff) and failure.retryable
        if not is_safe or not passes or times > self.most:
            return None
        return BACKOFF.pause_s(times, self.chance)

    def pause_after_answer(
        self, head: ResponseHead, message: RequestMessage, times: int
    ) -> float | None:
        """How long to wait after an answer, in seconds; None for taking it as it is."""
        if head.status not in BUSY or message.method != "GET" or times > self.most:
            return None
        wanted_s = head.retry_after_s or 0.0
        if wanted_s > PATIENCE_S:
            return None
        return max(wanted_s, BACKOFF.pause_s(times, self.chance))
