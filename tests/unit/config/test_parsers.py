import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.search_parsers import PLACEHOLDERS, load_parsers
from tabwright.config.yaml_tables import merge_tables, parse_table, plain
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.web_search import (
    Css,
    Drop,
    Offset,
    Ordinal,
    ResultParser,
    Selectors,
)

SHIPPED = load_parsers()
MINE = """\
mine:
  name: Mine
  url: https://mine.example/search
  fields: {q: "{query}"}
  selectors:
    {result: {selector: li}, title: {selector: a}, url: {selector: a}, snippet: {selector: p}}
"""
REPEATED = """\
my.yaml:9: mojeek.captcha.words: '*' is not a regular expression: \
nothing to repeat at position 0 - at `$[0]`"""
KEYS = st.sampled_from("abc")
TREES = st.recursive(
    st.integers() | st.booleans() | st.text("xyz"),
    lambda inner: st.dictionaries(KEYS, inner, min_size=1),
    max_leaves=8,
)


def loaded(tmp_path: Path, text: str) -> ResultParser:
    path = tmp_path / "my.yaml"
    path.write_text(text)
    return load_parsers(path)["mojeek"]


def mistakes(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(SettingsError) as caught:
        loaded(tmp_path, text)
    return [line.removeprefix(f"  {tmp_path}/") for line in caught.value.message.splitlines()[1:]]


@pytest.mark.parametrize("engine", SHIPPED)
def test_shipped_parser_has_required_selectors_and_diagnostics(engine: str) -> None:
    parts = SHIPPED[engine].selectors
    assert parts.result.required
    assert parts.title.required
    assert parts.url.required
    assert all(part.diagnostic for part in (parts.result, parts.title, parts.url, parts.snippet))


@pytest.mark.parametrize("engine", SHIPPED)
def test_shipped_parser_recognizes_captcha_refusal_and_no_results(engine: str) -> None:
    parser = SHIPPED[engine]
    assert parser.captcha.selectors
    assert parser.refused.words
    assert parser.no_results.selectors
    assert parser.no_results.words


def test_every_placeholder_is_explained_and_used() -> None:
    path = Path(__file__).parents[3] / "tabwright/config/search_parsers.yaml"
    text = path.read_text()
    explained = {*re.findall(r"^#.*?\{(\w+)\}", text, re.MULTILINE), "page", "last_day"}
    assert explained == set(PLACEHOLDERS)
    for name in PLACEHOLDERS:
        assert re.search(rf"^ .*\{{{name}\}}", text, re.MULTILINE)


def test_parsers_file_overrides_single_selector_and_keeps_the_rest(tmp_path: Path) -> None:
    shipped = SHIPPED["mojeek"]
    mended = loaded(tmp_path, "mojeek:\n  selectors:\n    title: {selector: h3 a}\n")
    assert mended.selectors.title.selector == Selectors([Css("h3 a")])
    assert mended.selectors.title.required
    assert mended.selectors.title.diagnostic == shipped.selectors.title.diagnostic
    assert mended.selectors.url == shipped.selectors.url
    assert mended.fields == shipped.fields


def test_a_list_is_replaced_as_a_whole(tmp_path: Path) -> None:
    assert loaded(tmp_path, "mojeek: {drop: {selectors: [.x]}}\n").drop == Drop((Css(".x"),))


def test_a_file_may_add_an_engine(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(MINE)
    parsers = load_parsers(path)
    assert set(parsers) == {*SHIPPED, "mine"}
    assert parsers["mine"].fields["q"].filled({"query": "bread"}) == "bread"
    assert parsers["mine"].captcha == SHIPPED["ecosia"].captcha
    assert parsers["mine"].selectors.title.required


def test_changed_default_applies_to_engines_without_own_value(
    tmp_path: Path,
) -> None:
    path = tmp_path / "my.yaml"
    path.write_text("defaults: {refused: {words: [go away]}, offset: {second: 3}}\n")
    parsers = load_parsers(path)
    assert {one.refused.words for one in parsers.values()} == {(re.compile("go away"),)}
    assert parsers["startpage"].offset == Offset(Ordinal(3), Ordinal(1))
    assert parsers["mojeek"].offset == SHIPPED["mojeek"].offset


@pytest.mark.parametrize(
    ("defaults", "mistake"),
    [
        ("{offset: {secnd: 2}}", "defaults.offset.secnd: unknown key. Did you mean 'second'?"),
        ("{refused: {words: 7}}", "defaults.refused.words: Expected `array`, got `int`"),
        ("", ""),
        ("x", "defaults: expected a mapping of keys to values"),
    ],
)
def test_mistake_in_the_defaults_is_reported_once(
    tmp_path: Path, defaults: str, mistake: str
) -> None:
    text = f"defaults: {defaults}\n"
    if mistake:
        assert mistakes(tmp_path, text) == [f"my.yaml:1: {mistake}"]
    else:
        assert loaded(tmp_path, text) == SHIPPED["mojeek"]


def test_every_mistake_of_a_file_is_reported_with_its_line(tmp_path: Path) -> None:
    text = r"""
mojeek:
  selectors:
    titel: {selector: h3 a}
    url: {selector: "a[", required: maybe}
    snippet: {selector: []}
  times: {dya: "x"}
  fields: {q: "{quary}"}
  captcha: {words: ["*", "fine"]}
  refused: {selectors: [.fine, "a::bogus("]}
  query_chars_max: few
  drop: .ad
startpage:
  form: {next: "form[{offset}"}
brave:
  fields: {q: 3}
mine:
  name: Mine
"""
    assert mistakes(tmp_path, text) == [
        "my.yaml:4: mojeek.selectors.titel: unknown key. Did you mean 'title'?",
        "my.yaml:5: mojeek.selectors.url.required: Expected `bool`, got `str`",
        "my.yaml:5: mojeek.selectors.url.selector: 'a[' is not a CSS selector",
        "my.yaml:6: mojeek.selectors.snippet.selector: Expected one or more selectors, got none",
        "my.yaml:7: mojeek.times.dya: unknown key. Did you mean 'day'?",
        "my.yaml:8: mojeek.fields.q: unknown placeholder {quary}. Did you mean 'query'?",
        REPEATED,
        "my.yaml:10: mojeek.refused.selectors: 'a::bogus(' is not a CSS selector - at `$[1]`",
        "my.yaml:11: mojeek.query_chars_max: Expected `int` >= 1, got 'few'",
        "my.yaml:12: mojeek.drop: expected a mapping of keys to values",
        "my.yaml:14: startpage.form.next: 'form[1' is not a CSS selector",
        "my.yaml:16: brave.fields.q: Expected `str`, got 3",
        "my.yaml:17: mine.url: is missing",
        "my.yaml:17: mine.fields: is missing",
        "my.yaml:17: mine.selectors.result.selector: is missing",
        "my.yaml:17: mine.selectors.title.selector: is missing",
        "my.yaml:17: mine.selectors.url.selector: is missing",
        "my.yaml:17: mine.selectors.snippet.selector: is missing",
    ]


@pytest.mark.parametrize(
    "url", ["foo", "/search", "file:///etc/passwd", "https://", "ftp://a.example/", "//a.example/"]
)
def test_parser_url_must_be_absolute_http_or_https(tmp_path: Path, url: str) -> None:
    assert mistakes(tmp_path, f"# mine\nmojeek: {{url: '{url}'}}\n") == [
        f"my.yaml:2: mojeek.url: {url!r} cannot be opened. Use an absolute http or https URL."
    ]


def test_parser_url_may_be_on_loopback_host(tmp_path: Path) -> None:
    assert loaded(tmp_path, "mojeek: {url: 'http://127.0.0.1:80/s'}").url == "http://127.0.0.1:80/s"


def test_page_offset_must_be_positive_integer(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "mojeek:\n  offset: {second: 0, step: true}\n") == [
        "my.yaml:2: mojeek.offset.second: Expected `int` >= 1, got 0",
        "my.yaml:2: mojeek.offset.step: Expected `int` >= 1, got True",
    ]
    assert loaded(tmp_path, "mojeek: {query_chars_max: null}").query_chars_max is None


def test_reserved_parser_name_web_is_refused(tmp_path: Path) -> None:
    (mistake,) = mistakes(tmp_path, MINE.replace("mine:", "web:", 1))
    assert mistake == "my.yaml:1: web: this name is reserved. Use another name."


def patterns_of(parser: ResultParser) -> Iterator[str]:
    marks = (parser.captcha, parser.refused, parser.no_results)
    found = [*parser.drop.urls, *(one for mark in marks for one in (*mark.urls, *mark.words))]
    found += [parser.wrapping.url] if parser.wrapping else []
    found += [parser.counter.first] if parser.counter else []
    return (pattern.pattern for pattern in found)


@pytest.mark.parametrize("engine", SHIPPED)
def test_no_shipped_pattern_repeats_without_bound(engine: str) -> None:
    """An unbounded repetition takes quadratic time or worse in the length of the text."""
    for pattern in patterns_of(SHIPPED[engine]):
        outside_classes = re.sub(r"\[[^\]]*\]", "c", pattern)
        assert not re.search(r"(?<!\\)[*+]|\{\d*,\}", outside_classes), pattern


def test_self_referencing_yaml_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not valid YAML"):
        loaded(tmp_path, "mojeek: &m\n  form: *m\n")


@given(upper=TREES, lower=TREES)
def test_upper_layer_overrides_lower_layer_key_by_key(upper: object, lower: object) -> None:
    over = parse_table(f"root: {upper!r}".replace("True", "true").replace("False", "false"), "u")
    under = parse_table(f"root: {lower!r}".replace("True", "true").replace("False", "false"), "l")
    assert plain(merge_tables(over, under)) == {"root": overlaid(upper, lower)}


def overlaid(upper: object, lower: object) -> object:
    if isinstance(upper, dict) and isinstance(lower, dict):
        keys = [*lower, *upper]
        return {
            key: overlaid(upper[key], lower[key])
            if key in upper and key in lower
            else upper.get(key, lower.get(key))
            for key in keys
        }
    return upper
