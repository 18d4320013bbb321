"""A request to Google, and what bears on its answer."""

import attrs

from tabwright.testing.replica.languages import Language
from tabwright.testing.replica.scenario import Scenario
from tabwright.testing.replica.server import Exchange

ORIGIN = "https://www.google.com"

_COOKIE_AGE_S = 3 * 60 * 60


@attrs.frozen
class Visit:
    """A request under a scenario.

    Attributes:
        exchange: the request.
        scenario: what is played.
        language: of the page that is asked for.
        served: how many answer streams this browser was given.
    """

    exchange: Exchange
    scenario: Scenario
    language: Language
    served: int

    @property
    def question(self) -> str:
        """What is asked; empty on the start page."""
        return self.exchange.query.get("q", "")


def cookie(name: str, value: str) -> str:
    """Writes the header that sets a cookie for all of Google; a profile keeps it for a while."""
    return f"{name}={value}; Path=/; Domain=.google.com; Secure; Max-Age={_COOKIE_AGE_S}"
