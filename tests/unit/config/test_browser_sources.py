"""The setting `browser.sources`: kinds by URL, and errors that do not repeat tokens."""

import pytest

from tabwright.browser.machine import fitted
from tabwright.config.loader import override, settings_from
from tabwright.protocol.browser_pool import SourceKind
from tabwright.protocol.errors import SettingsError
from tabwright.testing.determinism import UnusedMachine


def sources_of(*sources: dict[str, object], **values: object):
    return settings_from(override(browser__sources=list(sources), **values)).sources


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
    with pytest.raises(SettingsError, match=r"browser\.sources") as caught:
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


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, [("local", 1)]),
        ({"pool__workers": 3}, [("local", 3)]),
        ({"browser__cdp_endpoint": "127.0.0.1:9222"}, [("127.0.0.1:9222", 1)]),
    ],
)
def test_single_source_is_derived_from_settings_without_source_list(values, expected):
    settings = settings_from(override(**values))
    assert [(one.url, one.browsers) for one in settings.sources] == expected


def test_worker_count_is_sum_of_source_browsers():
    listed = [{"url": "grid+http://hub:4444", "browsers": 3}, {"url": "local", "browsers": 2}]
    settings = fitted(settings_from(override(browser__sources=listed)), UnusedMachine())
    assert settings.pool.workers == 5
    assert [one.browsers for one in settings.sources] == [3, 2]
