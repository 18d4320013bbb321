"""Secrets are masked in every encoding that a page, a program or a log uses."""

import base64
import html
import json
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.secrets import Secrets
from tabwright.text.decoding import unspelt

VALUE = 'p@ss&"w<o>rd\\x/y+1'


def each(form: str) -> Callable[[str], str]:
    return lambda value: "".join(form.format(ord(sign)) for sign in value)


def as_uri(value: str) -> str:
    return quote(value, safe=";,/?:@&=+$-_.!~*'()#")


def as_json(value: str) -> str:
    return json.dumps(value)[1:-1]


CODINGS: dict[str, Callable[[str], str]] = {
    "HTML": html.escape,
    "HTML twice": lambda value: html.escape(html.escape(value)),
    "HTML by number": each("&#{};"),
    "HTML by hexadecimal number": each("&#x{:X};"),
    "quote": quote,
    "quote all": lambda value: quote(value, safe=""),
    "quote twice": lambda value: quote(quote(value, safe=""), safe=""),
    "quote_plus": quote_plus,
    "encodeURI": as_uri,
    "encodeURI in HTML": lambda value: html.escape(as_uri(value)),
    "small hexadecimal": lambda value: quote(value, safe="").replace("%5C", "%5c"),
    "JSON": as_json,
    "JSON in JSON": lambda value: as_json(as_json(value)),
    "JSON in JSON in JSON": lambda value: as_json(as_json(as_json(value))),
    "HTML in JSON": lambda value: as_json(html.escape(value)),
    "JSON of PHP": lambda value: as_json(value).replace("/", "\\/").replace("&", "\\u0026"),
    r"\x": each("\\x{:02x}"),
    r"\u": each("\\u{:04X}"),
    r"\u{}": each("\\u{{{:x}}}"),
    "capitals": str.upper,
    "small letters": str.lower,
    "Markdown": lambda value: value.replace("\\", "\\\\").replace("<", "\\<"),
    "base64": lambda value: base64.b64encode(value.encode()).decode().rstrip("="),
}


@pytest.mark.parametrize("coding", CODINGS.values(), ids=CODINGS)
@pytest.mark.parametrize("around", ["<{}>", 'value="{}"', "?a=1&b={}&c=2", "{}"])
def test_secret_in_any_single_encoding_is_masked(coding: Callable[[str], str], around: str) -> None:
    masked = Secrets({"W": VALUE}).masked(around.format(coding(VALUE)))
    assert masked in {around.format("{{W}}"), around.format("{{W}}=")}


def test_secret_with_different_white_space_is_masked() -> None:
    secrets = Secrets({"W": "correct horse battery"})
    assert secrets.masked("a\u00a0correct\n\n horse%20%20battery.") == "a\u00a0{{W}}."


@pytest.mark.parametrize("user", ["a", "ab", "abc"])
def test_value_in_basic_credentials_is_masked(user: str) -> None:
    header = base64.b64encode(f"{user}:correct-horse".encode()).decode()
    masked = Secrets({"W": "correct-horse"}).masked(f"Basic {header}")
    assert "{{W}}" in masked
    assert header[6:-4] not in masked


simple = st.text(st.sampled_from("abcXYZ019 @&\"'<>/+=?#{}[]()~!$,;:.-_\u00f6\u4e2d"), min_size=6)
mixed = st.lists(st.sampled_from([html.escape, as_json, quote, as_uri]), max_size=3)


@given(simple.map(str.strip).filter(lambda value: len(value) > 5), mixed)
def test_secret_in_nested_encodings_is_masked(
    value: str, codings: list[Callable[[str], str]]
) -> None:
    coded = value
    for coding in codings:
        coded = coding(coded)
    masked = Secrets({"W": value}).masked(f"({coded})")
    assert "{{W}}" in masked
    assert coded not in masked


@given(st.text(st.sampled_from('ab%2041&amp;;#\\"u{}x \n+\u0130\u2026')), st.integers(0, 30))
def test_text_without_secret_is_unchanged(text: str, seed: int) -> None:
    assert Secrets({"W": f"never{seed}"}).masked(text) == text


@given(st.text(st.sampled_from('ab%2041&amp;;#\\"u{}x \n+\u0130')))
def test_decoded_text_maps_back_to_source_positions(text: str) -> None:
    view = unspelt(text)
    assert len(view.folded) <= len(view.decoded) <= len(text)
    for place in range(len(view.folded)):
        start, end = view.span_of_folded(place, place + 1)
        assert 0 <= start < end <= len(text)


def test_masking_is_idempotent_for_secret_names() -> None:
    secrets = Secrets({"WORD": "word", "B": "WORD of b"})
    once = secrets.masked("a Word, word of b")
    assert once == "a {{WORD}}, {{B}}"
    assert secrets.masked(once) == once
