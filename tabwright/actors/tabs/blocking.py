"""What a page's requests are held for, and what becomes of each."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from tabwright.cdp.command import Command
from tabwright.cdp.domains import fetch
from tabwright.cdp.wire import JSON, Nothing
from tabwright.config.shipped_lists import BlockRules


def hold(rules: BlockRules) -> Command[Nothing]:
    """The command that has the browser hold what may be blocked; each must then be answered."""
    return fetch.enable(_patterns(rules))


def _patterns(rules: BlockRules) -> Iterator[JSON]:
    """Wide enough for the rules, which then judge by the host itself."""
    yield from (fetch.pattern(resource_type=name) for name in sorted(rules.types))
    yield from (fetch.pattern(url=f"*{host}*") for host in sorted(rules.hosts))


def answer(held: fetch.RequestPaused, rules: BlockRules, page_id: str) -> Command[Nothing]:
    """The command that lets the request go, or does not; the page itself always goes."""
    host = urlsplit(held.request.url).hostname or ""
    is_page = held.resource_type == "Document" and held.frame_id == page_id
    if not is_page and rules.block(host, held.resource_type):
        return fetch.fail_request(held.request_id)
    return fetch.continue_request(held.request_id)
