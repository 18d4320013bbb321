"""Interception of requests: learning redirect targets, and blocking what is not allowed."""

from collections.abc import AsyncIterator, Iterator, Sequence
from urllib.parse import urljoin, urlsplit

from tabwright.cdp.command import CDPCommand
from tabwright.cdp.domains import fetch, network, runtime
from tabwright.cdp.wire import JSON, Event, Nothing
from tabwright.config.shipped_lists import BlockRules

EVENTS = (network.RequestWillBeSent, network.ResponseReceivedExtraInfo)
"""What `collect` is told."""

FIND_S = 3.0
"""For all links of a page together."""

ASK = """function ask(...links) {
  for (const link of links) fetch(link, { redirect: "manual" }).catch(() => null);
  return "";
}"""


def ask_for(links: Sequence[str], context_id: int) -> CDPCommand[runtime.Evaluated]:
    """The command that asks for each link and follows none (Fetch standard, redirect mode)."""
    return runtime.call_function_on(ASK, context_id, values=list(links))


async def collect(
    events: AsyncIterator[Event], links: Sequence[str], found: dict[str, str]
) -> None:
    """Puts the targets of `links` into `found`, until each has been answered.

    The two events of a request come from two processes, and so in either order.
    """
    asked: dict[str, str] = {}
    answered: dict[str, str] = {}
    async for event in events:
        match event:
            case network.RequestWillBeSent() if event.request.url in links:
                asked[event.request_id] = event.request.url
            case network.ResponseReceivedExtraInfo():
                answered[event.request_id] = _location(event)
            case _:
                pass
        known = {asked[key]: answered[key] for key in asked.keys() & answered.keys()}
        found.update({link: urljoin(link, target) for link, target in known.items() if target})
        if len(known) == len(set(links)):
            return


def _location(answer: network.ResponseReceivedExtraInfo) -> str:
    headers = {name.lower(): value for name, value in answer.headers.items()}
    return headers.get("location", "")


# Why a request is paused, and how it continues.


def hold(rules: BlockRules) -> CDPCommand[Nothing]:
    """The command that has the browser hold what may be blocked; each must then be answered."""
    return fetch.enable(_patterns(rules))


def _patterns(rules: BlockRules) -> Iterator[JSON]:
    """Wide enough for the rules, which then judge by the host itself."""
    yield from (fetch.pattern(resource_type=name) for name in sorted(rules.types))
    yield from (fetch.pattern(url=f"*{host}*") for host in sorted(rules.hosts))


def answer(held: fetch.RequestPaused, rules: BlockRules, page_id: str) -> CDPCommand[Nothing]:
    """The command that lets the request go, or does not; the page itself always goes."""
    host = urlsplit(held.request.url).hostname or ""
    is_page = held.resource_type == "Document" and held.frame_id == page_id
    if not is_page and rules.block(host, held.resource_type):
        return fetch.fail_request(held.request_id)
    return fetch.continue_request(held.request_id)
