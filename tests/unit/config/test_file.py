from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.config.endpoints import header_items
from tabwright.config.loader import (
    Layer,
    LayerEntry,
    LayerRank,
    layer_of,
    override,
    read_layer,
    settings_from,
)
from tabwright.config.yaml_tables import parse_table
from tabwright.protocol.errors import SettingsError

PRINTABLE = st.characters(exclude_categories=("Cc", "Cs", "Cn")) | st.just("\n")
MISTAKEN = """\
# three mistakes
browser:
  headles: false
  start_timeout_s: long
network:
  allow_private: true
serch:
  language: en-US
"""


def user_layer(text: str) -> Layer:
    return layer_of(parse_table(text, "my.yaml"), LayerRank.USER_FILE)


def test_every_key_keeps_its_line_number() -> None:
    text = "browser:\n  headless: false\n\n  extra_args: [--a,\n    --b]\nlog: {level: debug}\n"
    assert user_layer(text).entries == {
        "browser.headless": LayerEntry(value=False, place="my.yaml:2"),
        "browser.extra_args": LayerEntry(["--a", "--b"], "my.yaml:4"),
        "log.level": LayerEntry("debug", "my.yaml:6"),
    }


def test_invalid_url_pattern_is_reported_with_its_own_line() -> None:
    text = "network:\n  allow_urls:\n    - ok.test\n    - '['\n  deny_urls: ['ftp://x', a b]\n"
    with pytest.raises(SettingsError) as caught:
        settings_from(user_layer(text))
    lines = caught.value.message.splitlines()[1:]
    assert [line.split(": ")[:2] for line in lines] == [
        ["  my.yaml:4", "network.allow_urls"],
        ["  my.yaml:5", "network.deny_urls"],
        ["  my.yaml:5", "network.deny_urls"],
    ]


def test_all_mistakes_of_a_file_are_reported_at_once_with_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_text(MISTAKEN)
    with pytest.raises(SettingsError) as caught:
        settings_from(read_layer(path))
    assert caught.value.message.splitlines() == [
        "The settings cannot be used:",
        f"  {path}:3: unknown setting 'browser.headles'. Did you mean 'browser.headless'?",
        f"  {path}:4: browser.start_timeout_s: Expected `float`, got `str`",
        f"  {path}:8: unknown setting 'serch.language'. Did you mean 'search.language'?",
    ]


@pytest.mark.parametrize("text", ["", "# nothing\n", "{}", "browser: {}\n"])
def test_a_file_that_sets_nothing_changes_nothing(text: str) -> None:
    layer = user_layer(text)
    assert settings_from(layer) == settings_from()


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        ("- browser\n", "my.yaml:1: expected a mapping of keys to values"),
        ("browser", "my.yaml:1: expected a mapping of keys to values"),
        ("browser: [\n", "my.yaml is not valid YAML"),
        ("browser:\n\tstart_timeout_s: 1\n", "my.yaml is not valid YAML"),
        ("browser: {path: !!python/name:os.system }\n", "my.yaml is not valid YAML"),
        ("browser: {}\n---\nlog: {}\n", "my.yaml is not valid YAML"),
    ],
)
def test_invalid_settings_file_is_refused(text: str, reported: str) -> None:
    with pytest.raises(SettingsError, match=reported):
        user_layer(text)


def test_scalar_in_place_of_settings_group_is_reported() -> None:
    with pytest.raises(SettingsError, match=r"my\.yaml:1: unknown setting 'browser'"):
        settings_from(user_layer("browser: chromium\n"))


def test_a_file_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"none\.yaml does not exist"):
        read_layer(tmp_path / "none.yaml")


def test_directory_is_refused_as_settings_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        read_layer(tmp_path)


def test_a_file_that_is_not_utf_8_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "my.yaml"
    path.write_bytes("search: {language: zh-CN} # é".encode("latin-1"))
    with pytest.raises(SettingsError, match="cannot be read"):
        read_layer(path)


@given(text=st.text(PRINTABLE))
def test_any_text_is_a_layer_or_a_settings_error(text: str) -> None:
    try:
        layer = user_layer(text)
    except SettingsError as error:
        assert error.message.startswith("my.yaml")
    else:
        assert layer.rank is LayerRank.USER_FILE


@pytest.mark.parametrize(
    "text",
    [
        "search: {language: \x1f}",
        "log: {dir: 2026-99-99}",
        "pool: {workers: !!int many}",
        "search: {timeout_s: !!float long}",
    ],
)
def test_yaml_parser_failure_is_a_settings_error(text: str) -> None:
    with pytest.raises(SettingsError, match=r"my\.yaml"):
        user_layer(text)


@pytest.mark.parametrize(
    ("text", "reported"),
    [
        (
            "log: {}\nbrowser: {}\nlog: {}\n",
            "my.yaml:3: 'log' is already set in line 1. Remove one of them.",
        ),
        (
            "log: {level: a, level: b}",
            "my.yaml:1: 'level' is already set in line 1. Remove one of them.",
        ),
    ],
)
def test_duplicate_key_is_reported_with_both_lines(text: str, reported: str) -> None:
    with pytest.raises(SettingsError) as caught:
        user_layer(text)
    assert caught.value.message == reported


@pytest.mark.parametrize("text", ["---\n", "browser:\n", "browser:\n  # headless: false\n"])
def test_a_group_whose_keys_are_commented_out_changes_nothing(text: str) -> None:
    assert settings_from(user_layer(text)) == settings_from()


@pytest.mark.parametrize(
    "endpoint",
    [
        "127.0.0.1:9222",
        "[::1]:9222",
        "http://a.example",
        "https://a.example/?token=t",
        "ws://a:1/b",
    ],
)
def test_valid_cdp_endpoint_is_accepted(endpoint):
    chosen = settings_from(override(browser__cdp_endpoint=endpoint))
    assert chosen.browser.cdp_endpoint == endpoint


def test_headers_for_a_running_browser_are_split_at_the_first_colon():
    lines = ("X-Forwarded-Proto: value:with:colons", "X-Empty")
    values = {"browser__cdp_endpoint": "a:1", "browser__cdp_headers": lines}
    chosen = settings_from(override(**values))
    assert header_items(chosen.browser.cdp_headers) == (
        ("X-Forwarded-Proto", "value:with:colons"),
        ("X-Empty", ""),
    )


def test_running_browser_excludes_further_workers():
    with pytest.raises(SettingsError, match=r"pool\.workers"):
        settings_from(override(browser__cdp_endpoint="a:1", pool__workers=2))


@pytest.mark.parametrize("line", ["no header", "X: secret\r\nY: 1", ": secret"])
def test_malformed_cdp_header_is_refused_without_its_value(line):
    with pytest.raises(SettingsError, match=r"browser\.cdp_headers") as caught:
        settings_from(override(browser__cdp_headers=(line,)))
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "endpoint", ["a.example", "9222", "ftp://a:1", "me:secret@a:1", "http:///x"]
)
def test_malformed_cdp_endpoint_is_refused_without_its_value(endpoint):
    with pytest.raises(SettingsError, match=r"browser\.cdp_endpoint") as caught:
        settings_from(override(browser__cdp_endpoint=endpoint))
    assert endpoint not in str(caught.value)


@pytest.mark.parametrize(
    "site",
    [
        "bot.example",
        "http://bot.example",
        "https://bot.example/keys",
        "https://bot.example/?a",
        "https://me:secret@bot.example",
        "https://",
    ],
)
def test_signature_agent_other_than_site_url_is_refused(site):
    with pytest.raises(SettingsError, match=r"network\.signing") as refusal:
        settings_from(override(network__signing={"key": "k", "agent": site}))
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize("site", ["https://bot.example", "https://bot.example/"])
def test_signature_agent_accepts_site_url(site):
    signing = settings_from(override(network__signing={"key": "k", "agent": site})).network.signing
    assert signing.agent == site
