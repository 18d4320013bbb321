"""Answers and errors as results, with nothing in them that steers whoever shows them."""

import attrs

from tabwright.acting.secrets import Secrets
from tabwright.actors.gateway.results import FAILURE_TOKENS_MAX, answered, failed, masked
from tabwright.protocol.errors import PageFailed
from tabwright.protocol.outcomes import Download, Outcome
from tabwright.reading.tokens import tokens_in

HOSTILE = "a\x1b[2Jb\x9bc\u202ed\u2066e\u200b\U000e0041\x07\r\n  two\tx\u200cy"
SEEN = "a[2Jbcde\n  two\txy"


def test_an_answer_has_nothing_in_it_that_nobody_sees() -> None:
    outcome = Outcome(HOSTILE, downloads=(Download(HOSTILE, HOSTILE),))
    result = answered(HOSTILE, {"said": HOSTILE, "all": attrs.asdict(outcome), "count": 1})
    (text,) = result.content
    assert text.text == SEEN
    assert result.structured_content["said"] == SEEN
    assert result.structured_content["count"] == 1
    assert result.structured_content["all"]["downloads"][0]["name"] == SEEN


def test_an_error_has_not_either() -> None:
    result = failed(HOSTILE, PageFailed("It failed.", advice=HOSTILE))
    (text,) = result.content
    assert text.text == SEEN
    assert result.meta["tabwright/error"]["advice"] == SEEN


def test_a_secret_stands_nowhere_however_deep() -> None:
    result = answered("my hunter22", {"of": [{"it": "hunter22", "n": 1}]})
    clean = masked(result, Secrets({"PIN": "hunter22"}))
    assert clean.content[0].text == "my {{PIN}}"
    assert clean.structured_content == {"of": [{"it": "{{PIN}}", "n": 1}]}
    assert masked(result, Secrets()) is result


def test_what_a_page_throws_is_bounded_in_an_error() -> None:
    thrown = failed("x " * 100_000, PageFailed("x", advice="y " * 100_000))
    assert tokens_in(thrown.content[0].text) <= FAILURE_TOKENS_MAX
    assert tokens_in(thrown.meta["tabwright/error"]["advice"]) <= FAILURE_TOKENS_MAX
