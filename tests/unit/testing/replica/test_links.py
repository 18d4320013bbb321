from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.testing.replica.markup import sealed, unsealed, wrapped

URL = "https://site1.example/a?b=c&d=%20#e"


@given(st.text(st.characters(codec="utf-8")))
def test_what_is_sealed_is_read_again(text: str) -> None:
    assert unsealed(sealed(text)) == text


def test_a_seal_tells_nothing() -> None:
    token = sealed(URL)
    assert token.replace("-", "").replace("_", "").isalnum()
    assert "site1" not in token


def test_a_forged_seal_is_refused() -> None:
    with pytest.raises(ValueError, match=r"utf-8|base64|padding|characters"):
        unsealed("A" * 41)


def test_the_three_forms_of_a_link() -> None:
    assert wrapped(URL, "direct") == URL
    assert parse_qs(urlsplit(wrapped(URL, "url")).query)["q"] == [URL]
    assert wrapped(URL, "url").startswith("/url?q=")
    goto = wrapped(URL, "goto")
    assert goto.startswith("/goto?url=")
    assert unsealed(parse_qs(urlsplit(goto).query)["url"][0]) == URL
