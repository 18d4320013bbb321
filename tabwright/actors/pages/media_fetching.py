"""What a page shows and plays, fetched as the page was."""

from functools import partial

import attrs

from tabwright.actors.kit.address import Address
from tabwright.concurrency.grants import granted
from tabwright.protocol.actor import Ending
from tabwright.protocol.errors import Refusal, Unanswered, Undelivered
from tabwright.protocol.fetch import Fetch, Fetched, Fetcher
from tabwright.protocol.rate_limit import Governor, Permit
from tabwright.protocol.snapshot import ERROR_STATUS_MIN, Medium
from tabwright.reader.tiers import site_of


@attrs.frozen(eq=False)
class MediaFetcher:
    """Whoever media are got with."""

    governor: Address[Governor]
    fetcher: Address[Fetcher]

    async def fetched(self, medium: Medium, session: str) -> Fetched | None:
        """The medium with the cookies of a session; None where it cannot be had.

        Cancellation stops the loading.
        """
        try:
            async with granted(self.governor, partial(_permit, site_of(medium.url))):
                fetched = await self.fetcher.ask(Fetch(medium.url, session))
        except (Refusal, Undelivered, Unanswered):  # the words of the page stand for it
            return None
        return fetched if fetched.page.status < ERROR_STATUS_MIN else None


def _permit(host: str, over: Ending) -> Permit:
    return Permit(over, host)
