"""Parameters of URLs that change nothing: learned from pages that are the same without them."""

from collections import Counter

import attrs

from tabwright.protocol.web_urls import WebUrl

PROOFS_MIN = 3
"""The number of pages that must be the same with another value of a parameter."""

PAGES_MAX = 100_000
"""The maximum number of pages that are remembered, against memory without end."""

PARAMETERS_MAX = 12
"""The maximum number of parameters of a URL that are compared."""


@attrs.define(eq=False)
class ParameterLearner:
    """Compares pages whose URLs differ in the value of one parameter.

    If some of them are the same and none differ, the parameter names a visit, a view or a campaign.
    A single page that differs proves that it matters.

    Attributes:
        incidental: the names of the parameters that change nothing, each after its host.
    """

    incidental: frozenset[str] = attrs.field(default=frozenset(), init=False)
    _pages: dict[tuple[str, str], tuple[str, str]] = attrs.field(
        factory=dict[tuple[str, str], tuple[str, str]], init=False
    )
    _proofs: Counter[str] = attrs.field(factory=Counter[str], init=False)
    _mattering: set[str] = attrs.field(factory=set[str], init=False)

    def take(self, url: WebUrl, digest: str) -> None:
        """Add a page with the digest of its text."""
        parameters = url.query[1:].split("&")[:PARAMETERS_MAX] if url.query else []
        whole = f"{url.authority}{url.path}"
        if len(self._pages) < PAGES_MAX:
            self._pages[(whole, "&".join(sorted(parameters)))] = ("", digest)
        for parameter in parameters:
            others = "&".join(sorted(one for one in parameters if one != parameter))
            name = qualified(url, parameter)
            for place in ((f"{whole} {name}", others), (whole, others)):
                if before := self._pages.get(place):
                    self._compare(name, before, (parameter, digest))
            if len(self._pages) < PAGES_MAX:
                self._pages[(f"{whole} {name}", others)] = (parameter, digest)

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
