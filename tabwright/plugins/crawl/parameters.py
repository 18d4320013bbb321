"""Parameters of URLs that change nothing: learned from pages that are the same without them."""

import re
from collections import Counter
from collections.abc import Sequence

import attrs

from tabwright.protocol.web_urls import WebUrl

GENERATED = re.compile(r"[0-9a-fA-F]{16,}|(?=\w*\d)(?=\w*[a-zA-Z])\w{20,}")
"""A value that a program has generated."""

PROOFS_MIN = 3
"""The number of pages that must be the same with another value of a parameter."""

PAGES_MAX = 100_000
"""The maximum number of pages that are remembered, to bound memory."""


@attrs.define(eq=False)
class ParameterLearner:
    """Compares pages whose URLs differ in the value of one parameter, or in one generated part.

    If some of them are the same and none differ, the parameter names a visit, a view or a campaign.
    A single page that differs proves that it matters.

    Attributes:
        incidental: the names of the parameters that change nothing, each after its host; a
            generated part of the path counts as a parameter.
    """

    incidental: frozenset[str] = attrs.field(default=frozenset(), init=False)
    _pages: dict[tuple[str, str], tuple[str, str]] = attrs.field(
        factory=dict[tuple[str, str], tuple[str, str]], init=False
    )
    _proofs: Counter[str] = attrs.field(factory=Counter[str], init=False)
    _mattering: set[str] = attrs.field(factory=set[str], init=False)

    def take(self, url: WebUrl, digest: str) -> None:
        """Add a page with the digest of its text."""
        parameters = url.query[1:].split("&") if url.query else []
        whole = f"{url.authority}{url.path}"
        self._remember((whole, "&".join(sorted(parameters))), ("", digest))
        for parameter in parameters:
            others = "&".join(sorted(one for one in parameters if one != parameter))
            name = qualified(url, parameter)
            if before := self._pages.get((whole, others)):
                self._compare(name, before, (parameter, digest))
            self._take_one(name, (f"{whole} {name}", others), (parameter, digest))
        parts = url.path.split("/")
        for place in generated_parts(parts):
            around = "/".join([*parts[:place], "*", *parts[place + 1 :]])
            page = (f"{url.authority}{around}", "&".join(sorted(parameters)))
            self._take_one(part_name(url, place), page, (parts[place], digest))

    def _take_one(self, name: str, page: tuple[str, str], now: tuple[str, str]) -> None:
        if before := self._pages.get(page):
            self._compare(name, before, now)
        self._remember(page, now)

    def _remember(self, page: tuple[str, str], now: tuple[str, str]) -> None:
        if len(self._pages) < PAGES_MAX:
            self._pages[page] = now

    def _compare(self, name: str, before: tuple[str, str], now: tuple[str, str]) -> None:
        if before[0] == now[0] or name in self._mattering:
            return
        if before[1] != now[1]:
            self._mattering.add(name)
            self.incidental -= {name}
            return
        self._proofs[name] += 1
        if self._proofs[name] >= PROOFS_MIN:
            self.incidental |= {name}


def qualified(url: WebUrl, parameter: str) -> str:
    """Return the name of a parameter after its host: sites use the same name differently."""
    return f"{url.host} {parameter.partition('=')[0]}"


def part_name(url: WebUrl, place: int) -> str:
    """Return the name of a part of the path as if it was a parameter."""
    return f"{url.host} /{place}"


def generated_parts(parts: Sequence[str]) -> list[int]:
    """Return the places of the parts of a path that were generated, such as the id of a visit."""
    return [place for place, part in enumerate(parts) if GENERATED.fullmatch(part)]
