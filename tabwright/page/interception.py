"""Interception of requests: learning redirect targets, and blocking requests out of bounds."""

from collections.abc import AsyncIterator, Sequence
from urllib.parse import urljoin, urlsplit

from tabwright.cdp.domains import fetch, network, runtime
from tabwright.cdp.wire import CDPCommand, Event, Nothing
from tabwright.config.shipped_lists import BlockRules

EVENTS = (network.RequestWillBeSent, network.ResponseReceivedExtraInfo)
"""The events of `collect`."""

FIND_S = 3.0
"""Seconds for all links of a page together."""

ASK = """function ask(...links) {
  for (const link of links) fetch(link, { redirect: "manual" }).catch(() => null);
  return "";
}"""


def ask_for(links: Sequence[str], context_id: int) -> CDPCommand[runtime.Evaluated]:
    """Return the command that requests each link without redirects (Fetch, redirect mode)."""
    return runtime.call_function_on(ASK, context_id, values=list(links))


async def collect(
    events: AsyncIterator[Event], links: Sequence[str], found: dict[str, str]
) -> None:
    """Put the targets of `links` into `found`, until each has been answered.

    The two events of a request come from two processes, so their order varies.
    """
    asked: dict[str, str] = {}
    answered: dict[str, str] = {}
    async for event in events:
        match event:
            case network.RequestWillBeSent() if event.request.url in links:
                asked[event.request_id] = event.request.url
            case network.ResponseReceivedExtraInfo():
                headers = {name.lower(): value for name, value in event.headers.items()}
                answered[event.request_id] = headers.get("location", "")
            case _:
                pass
        known = {asked[key]: answered[key] for key in asked.keys() & answered.keys()}
        found.update({link: urljoin(link, target) for link, target in known.items() if target})
        if len(known) == len(set(links)):
            return


# Why a request is paused, and how it continues.


def hold(rules: BlockRules) -> CDPCommand[Nothing]:
    """Return the command that pauses requests that may be blocked; each must then be answered."""
    types = [fetch.pattern(resource_type=name) for name in sorted(rules.types)]
    # Wide enough for the rules, which then check the host itself.
    hosts = [fetch.pattern(url=f"*{host}*") for host in sorted(rules.hosts)]
    return fetch.enable((*types, *hosts))


def answer(held: fetch.RequestPaused, rules: BlockRules, page_id: str) -> CDPCommand[Nothing]:
    """Return the command that continues or blocks the request; the page's own always continues."""
    host = urlsplit(held.request.url).hostname or ""
    is_page = held.resource_type == "Document" and held.frame_id == page_id
    if not is_page and rules.block(host, held.resource_type):
        return fetch.fail_request(held.request_id)
    return fetch.continue_request(held.request_id)
