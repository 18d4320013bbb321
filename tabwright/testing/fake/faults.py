"""What can be made to go wrong at the seam between us and a browser."""

from collections import Counter
from enum import StrEnum

import attrs


class Harm(StrEnum):
    """What happens when the fault strikes.

    ``ERROR`` the command fails; ``MUTE`` it is never answered; ``CRASH`` its page crashes, and it
    is never answered, but where it is the browser that is asked: then the page that it names has
    crashed before; ``DETACH`` we are detached from its page, and it is never answered; ``CUT``
    the link breaks; ``GARBLE`` its reply is no JSON.
    """

    ERROR = "error"
    MUTE = "mute"
    CRASH = "crash"
    DETACH = "detach"
    CUT = "cut"
    GARBLE = "garble"


@attrs.frozen
class Fault:
    """One thing that goes wrong once: at the n-th call of a method, counted from 1."""

    harm: Harm
    method: str
    nth: int = 1


@attrs.define
class Faults:
    """The faults of one browser, over all of its restarts."""

    planned: tuple[Fault, ...] = ()
    _calls: Counter[str] = attrs.field(factory=Counter[str], init=False)

    def strike(self, method: str) -> Harm | None:
        """Counts a call of `method`; what goes wrong with it, if anything."""
        self._calls[method] += 1
        count = self._calls[method]
        for fault in self.planned:
            if fault.method == method and fault.nth == count:
                return fault.harm
        return None
