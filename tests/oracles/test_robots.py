"""robots.txt, against the cases of Google's parser and its test of the specification."""

import pytest

from tabwright.http import robots
from tabwright.http.request import target_of
from tabwright.protocol.errors import BadInput

from .cases import read_cases


def path_of(url: str) -> str:
    try:
        return target_of(url).path
    except BadInput:  # some cases have no host
        return f"/{url.partition('//')[2].partition('/')[2]}"


def test_robots_txt_rules_match_googles_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = []
    for text, questions in read_cases("robots.json"):
        for agent, url, allowed in questions:
            monkeypatch.setattr(robots, "TOKEN", agent.lower())
            path = path_of(url)
            # robots.txt itself can always be read (RFC 9309, 2.2.2); Google's parser asks first.
            expected = allowed or path == "/robots.txt"
            if robots.read_robots(text).allow(path) is not expected:
                wrong.append((text, agent, url, allowed))
    assert wrong == []
