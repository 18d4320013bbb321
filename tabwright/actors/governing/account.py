"""What is remembered of a site, and the rules by which that changes.

Times are seconds since 1970 UTC, by a clock that several processes share and that a person may
set: what such a clock makes impossible is not believed.
"""

import math

import attrs

from tabwright.config.engines import Pace

DAY_S = 86_400

RESERVED_S = 60.0
"""How long a site stays reserved for one who does not renew it: a process that was killed."""

PAUSE_MAX_S = 7_200.0
"""No site is left alone for longer."""

ROUNDING_S = 0.001
"""What adding and subtracting times may make of them."""

DOUBLINGS_MAX = 20
"""Any cool-down has reached `PAUSE_MAX_S` by then."""


@attrs.frozen
class Account:
    """What is remembered of one site. Its rules give the account as it is afterwards.

    Attributes:
        day: the UTC day that `requests` are of, counted from 1970.
        requests: how many began on that day.
        last_start_s: when the last one began.
        holder: who reserved the site last.
        reserved_until_s: nobody else may before that; 0 once the holder has begun, or given up.
        refusals: in a row.
        paused_until_s: the site is left alone until then.
    """

    day: int = 0
    requests: int = 0
    last_start_s: float = -math.inf
    holder: str = ""
    reserved_until_s: float = 0.0
    refusals: int = 0
    paused_until_s: float = 0.0

    def today(self, now_s: float) -> int:
        """How many requests have begun since midnight UTC."""
        return self.requests if self.day == _day(now_s) else 0

    def is_used_up(self, pace: Pace, now_s: float) -> bool:
        """Whether there were as many requests today as there may be."""
        return pace.daily_limit is not None and self.today(now_s) >= pace.daily_limit

    def pause_s(self, now_s: float) -> float:
        """How long the site is still left alone."""
        return _left_s(self.paused_until_s, now_s, PAUSE_MAX_S)

    def interval_s(self, holder: str, pace: Pace, now_s: float) -> float:
        """How long until `holder` may begin, after what others began.

        After its own requests a process goes by a clock that nobody sets.
        """
        if holder == self.holder:
            return 0.0
        return _left_s(self.last_start_s + pace.min_interval_s, now_s, pace.min_interval_s)

    def is_reserved_against(self, holder: str, now_s: float) -> bool:
        """Whether somebody else is about to begin."""
        return holder != self.holder and _left_s(self.reserved_until_s, now_s, RESERVED_S) > 0

    def is_settled(self, pace: Pace, now_s: float) -> bool:
        """Whether nothing of it matters any more."""
        is_counted = pace.daily_limit is not None and self.today(now_s) > 0
        matters_s = PAUSE_MAX_S if pace.cool_down_s else 0.0  # without it, nothing doubles
        is_refused = self.refusals > 0 and now_s < self.paused_until_s + matters_s
        return not is_counted and not is_refused

    def without_pause(self) -> "Account":
        """As it is for those whom no pause stops."""
        return attrs.evolve(self, paused_until_s=0.0)

    def reserve(
        self, holder: str, pace: Pace, now_s: float, *, for_person: bool = False
    ) -> "Account":
        """Keeps the site for `holder`, who is about to begin; nothing where that may not be.

        A pause does not stop what is `for_person`.
        """
        if (
            self.is_used_up(pace, now_s)
            or (self.pause_s(now_s) and not for_person)
            or self.interval_s(holder, pace, now_s)
        ):
            return self
        return self.renew(holder, now_s)

    def renew(self, holder: str, now_s: float) -> "Account":
        """Keeps the site for `holder` from now on, unless it is kept for somebody else."""
        if self.is_reserved_against(holder, now_s):
            return self
        return attrs.evolve(self, holder=holder, reserved_until_s=now_s + RESERVED_S)

    def begin(self, holder: str, now_s: float) -> "Account":
        """A request of `holder` goes out."""
        return attrs.evolve(
            self.give_back(holder),
            day=_day(now_s),
            requests=self.today(now_s) + 1,
            last_start_s=now_s,
        )

    def give_back(self, holder: str) -> "Account":
        """`holder` is not about to begin any more."""
        return attrs.evolve(self, reserved_until_s=0.0) if holder == self.holder else self

    def refuse(self, pace: Pace, retry_after_s: float | None, now_s: float) -> "Account":
        """The site has refused a request, and may have said when it will not.

        It may ask for a longer pause than its cool-down, not for a shorter one.
        """
        cool_down_s = pace.cool_down_s * 2.0 ** min(self.refusals, DOUBLINGS_MAX)
        pause_s = min(max(cool_down_s, retry_after_s or 0.0), PAUSE_MAX_S)
        return attrs.evolve(
            self,
            refusals=self.refusals + 1,
            paused_until_s=max(now_s + pause_s, now_s + self.pause_s(now_s)),
        )

    def answer(self) -> "Account":
        """The site has answered: what it refused before is forgotten."""
        return attrs.evolve(self, refusals=0, paused_until_s=0.0)


def until_midnight_s(now_s: float) -> float:
    """How long this day UTC still lasts."""
    return DAY_S - now_s % DAY_S


def _left_s(until_s: float, now_s: float, most_s: float) -> float:
    """How long until then; 0 where it is over, or so far off that the clock was set since."""
    left_s = until_s - now_s
    return left_s if 0 < left_s <= most_s + ROUNDING_S else 0.0


def _day(now_s: float) -> int:
    return int(now_s // DAY_S)
