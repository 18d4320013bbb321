"""How often a model is asked again, and after which pauses."""

import random

import attrs

from tabwright.protocol.errors import ModelFailed

BACK_OFF_S = 1.0
"""Before the first repetition; it doubles with each."""

BACK_OFF_MAX_S = 30.0

WAIT_MAX_S = 60.0
"""A vendor that wants to be left alone for longer is; the error says so."""


@attrs.frozen(eq=False)
class Patience:
    """Faults that pass are waited out, within limits; others end at once.

    Attributes:
        most: how often after the first time.
        chance: takes up to half of each pause off, so that not all come at once.
    """

    most: int
    chance: random.Random

    def pause_s(self, failure: ModelFailed, times: int) -> float | None:
        """How long to wait after `times` failures; None for giving up."""
        if not failure.retryable or times > self.most:
            return None
        back_off_s = min(BACK_OFF_S * 2.0 ** (times - 1), BACK_OFF_MAX_S)
        pause_s = back_off_s * (1 - 0.5 * self.chance.random())
        wanted_s = failure.retry_after_s or 0.0
        return max(wanted_s, pause_s) if wanted_s <= WAIT_MAX_S else None
