"""The setting `remote.sources`: kinds by URL, and errors that do not repeat tokens."""

import pytest

from tabwright.cli.command_line import parser
from tabwright.cli.config import config
from tabwright.cli.serve import browser_of_this_machine
from tabwright.config.loader import override, settings_from
from tabwright.environment import Environment, changed_by_plugins
from tabwright.plugins.remote.settings import REMOTE_SETTINGS, SourceKind
from tabwright.protocol.errors import SettingsError


def sources_of(*sources: dict[str, object], **values: object):
    settings = settings_from(override(remote__sources=list(sources), **values))
    return REMOTE_SETTINGS.of(settings).sources


@pytest.mark.parametrize(
    ("url", "kind", "address", "host"),
    [
        ("local", SourceKind.LOCAL, "local", ""),
        ("127.0.0.1:9222", SourceKind.CDP, "127.0.0.1:9222", "127.0.0.1:9222"),
        (
            "ws://me:pw@a.example/b?token=t",
            SourceKind.CDP,
            "ws://me:pw@a.example/b?token=t",
            "a.example",
        ),
        ("grid+http://me:pw@hub:4444", SourceKind.GRID, "http://me:pw@hub:4444", "hub:4444"),
        ("Grid+https://[::1]:4444/wd", SourceKind.GRID, "https://[::1]:4444/wd", "[::1]:4444"),
        (
            "browserless+wss://b.example/chromium?token=t",
            SourceKind.BROWSERLESS,
            "wss://b.example/chromium?token=t",
            "b.example",
        ),
        ("steel+https://api.example", SourceKind.STEEL, "https://api.example", "api.example"),
    ],
)
def test_source_url_determines_kind_address_and_host(url, kind, address, host):
    (source,) = sources_of({"url": url})
    assert (source.kind, source.address, source.host) == (kind, address, host)
    assert not any(secret in repr(source) for secret in ("token", "pw"))


@pytest.mark.parametrize(
    "source",
    [
        {"url": "hub"},
        {"url": "grid+ws://hunter2@hub:4444"},
        {"url": "browserless+http://b.example?token=hunter2"},
        {"url": "selenium+http://hunter2@hub"},
        {"url": "ws://b.example/?token=hunter2", "browsers": 2},
        {"url": "ws://me:hunter2#b@c.example"},
        {"url": "grid+http://me:hunter2?b@hub:4444"},
        {"url": "local", "browsers": 0},
        {"url": "local", "browser": 2},
        {"url": "steel+http://s.example", "headers": ["key hunter2"]},
    ],
)
def test_invalid_source_is_reported_without_its_token(source):
    with pytest.raises(SettingsError, match=r"remote\.sources") as caught:
        sources_of(source)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"browser__cdp_endpoint": "127.0.0.1:9222"},
        {"pool__workers": 2},
    ],
)
def test_sources_exclude_the_settings_that_they_replace(values):
    with pytest.raises(SettingsError):
        sources_of({"url": "grid+http://hub:4444", "browsers": 3}, **values)


def test_duplicate_source_url_is_refused():
    with pytest.raises(SettingsError, match="twice"):
        sources_of({"url": "local"}, {"url": "local"})


def test_environment_has_as_many_browsers_as_the_sources():
    listed = [{"url": "grid+http://hub:4444", "browsers": 3}, {"url": "local", "browsers": 2}]
    settings = settings_from(override(remote__sources=listed))
    many = changed_by_plugins(Environment(), settings).sources
    assert many is not None
    assert many.browsers == 5


def test_no_browser_is_launched_early_if_the_sources_give_it():
    listed = ({"url": "local"}, {"url": "127.0.0.1:9222"})
    settings = settings_from(override(remote__sources=listed))
    assert browser_of_this_machine(settings) is None
    assert browser_of_this_machine(settings_from()) is not None


@pytest.mark.parametrize("values", [{}, {"remote__sources": []}])
def test_environment_without_listed_sources_has_none_of_the_plugin(values):
    assert changed_by_plugins(Environment(), settings_from(override(**values))).sources is None


def test_tokens_of_sources_are_not_shown(tmp_path, capsys):
    file = tmp_path / "settings.yaml"
    file.write_text("remote: {sources: [{url: 'grid+http://me:hunter2@hub:4444'}]}")
    assert config("show", parser().parse_args(["config", "show", "--config", str(file)])) == 0
    shown = capsys.readouterr().out
    assert "remote.sources" in shown
    assert "hunter2" not in shown
