from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.testing.replica.markup import sealed, unsealed, wrapped

URL = "https://site1.example/a?b=c&d=%20#e"


@given(st.text(st.characters(codec="utf-8")))
def test_sealed_text_is_recovered_by_unsealing(text: str) -> None:
    assert unsealed(sealed(text)) == text


def test_sealed_url_does_not_reveal_its_target() -> None:
    token = sealed(URL)
    assert token.replace("-", "").replace("_", "").isalnum()
    assert "site1" not in token


def test_a_forged_seal_is_refused() -> None:
    with pytest.raises(ValueError, match=r"utf-8|base64|padding|characters"):
        unsealed("A" * 41)


def test_wrapped_link_has_the_requested_form() -> None:
    assert wrapped(URL, "direct") == URL
    assert parse_qs(urlsplit(wrapped(URL, "url")).query)["q"] == [URL]
    assert wrapped(URL, "url").startswith("/url?q=")
    goto = wrapped(URL, "goto")
    assert goto.startswith("/goto?url=")
    assert unsealed(parse_qs(urlsplit(goto).query)["url"][0]) == URL
