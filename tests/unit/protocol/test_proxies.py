import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.protocol.errors import SettingsError
from tabwright.protocol.proxy import (
    Proxy,
    ProxyAnswer,
    ProxyChoice,
    ProxyReport,
    bypassing,
    parse_proxy,
)

HTTP = Proxy("http", "127.0.0.1", 7890)
SOCKS5 = Proxy("socks5", "127.0.0.1", 1080)
SECRET = "hunter2"  # noqa: S105  nobody's


@pytest.mark.parametrize(
    ("text", "proxy"),
    [
        ("http://127.0.0.1:7890", HTTP),
        ("127.0.0.1:7890", HTTP),
        (" HTTP://127.0.0.1:7890/ ", HTTP),
        ("socks5://127.0.0.1:1080", SOCKS5),
        ("socks5h://127.0.0.1", SOCKS5),
        ("socks://127.0.0.1:1080/", SOCKS5),
        ("http://Proxy.example", Proxy("http", "proxy.example", 80)),
        ("proxy_1.example:3128", Proxy("http", "proxy_1.example", 3128)),
        ("https://proxy.example", Proxy("https", "proxy.example", 443)),
        ("http://[0:0::1]:8080", Proxy("http", "::1", 8080)),
    ],
)
def test_proxy_is_parsed_in_its_common_spellings(text: str, proxy: Proxy) -> None:
    assert parse_proxy(text, "here") == proxy
    assert parse_proxy(str(proxy), "here") == proxy


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "http://",
        "://a:1",
        "http://:8080",
        "http://a:0",
        "http://a:65536",
        "http://a:port",
        "http://a:1/path",
        "http://a:1?q",
        "http://a:1#f",
        "http://a b:1",
        "http://a,b:1",
        "http://a;b:1",
        "http=a:1",
        "http://bücher.example:1",
        "http://[::1:1",
        "socks4://a:1",
        "ftp://a:1",
        "file:///etc/passwd",
        "direct://",
    ],
)
def test_invalid_proxy_is_rejected_with_its_source(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_proxy(text, "HTTPS_PROXY")
    assert caught.value.message == "HTTPS_PROXY is not a valid proxy."
    assert "http://host:port" in caught.value.advice


@pytest.mark.parametrize(
    "text",
    [
        f"http://me:{SECRET}@proxy.example:8080",
        f"me:{SECRET}@proxy.example:8080",
        f"socks5://{SECRET}@127.0.0.1:1080",
        f"http://:{SECRET}@127.0.0.1:1080",
        "http://@127.0.0.1:1080",
    ],
)
def test_proxy_with_credentials_is_refused_with_advice(text: str) -> None:
    with pytest.raises(SettingsError, match=r"^ALL_PROXY has a user name or password") as caught:
        parse_proxy(text, "ALL_PROXY")
    assert "Run a local forwarder" in caught.value.advice


@given(before=st.text(max_size=20), after=st.text(max_size=20))
def test_proxy_parsing_never_reveals_rejected_text_or_credentials(before: str, after: str) -> None:
    try:
        proxy = parse_proxy(f"{before}{SECRET}{after}", "here")
    except SettingsError as error:
        assert SECRET not in f"{error}{error.__cause__}"
        assert error.__suppress_context__ or error.__context__ is None
    else:
        assert parse_proxy(str(proxy), "here") == proxy
        assert "@" not in str(proxy)


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("localhost.example", False),
        ("192.168.1.1", False),
        ("0.0.0.0", False),  # noqa: S104  an address, not listened on
        ("proxy.example", False),
    ],
)
def test_only_loopback_is_on_this_machine(host: str, local: bool) -> None:
    assert Proxy("http", host, 1).is_local is local


@pytest.mark.parametrize(
    ("no_proxy", "patterns"),
    [
        ("", ()),
        ("*", ("*",)),
        ("a.example, b.example", ("a.example", ".a.example", "b.example", ".b.example")),
        (".a.example *.b.example", (".a.example", "*.b.example")),
        ("a.example:8080,", ("a.example:8080", ".a.example:8080")),
        ("10.0.0.1,10.0.0.0/8,[::1]:80", ("10.0.0.1", "10.0.0.0/8", "[::1]:80")),
    ],
)
def test_no_proxy_host_covers_its_subdomains(no_proxy: str, patterns: tuple[str, ...]) -> None:
    assert bypassing(no_proxy) == patterns


@pytest.mark.parametrize(
    ("choice", "server", "text"),
    [
        (ProxyChoice(), None, "none (system settings)"),
        (ProxyChoice(source="network.proxy"), "direct://", "none (network.proxy)"),
        (
            ProxyChoice(HTTP),
            "http://127.0.0.1:7890",
            "http://127.0.0.1:7890 (found on this machine)",
        ),
        (
            ProxyChoice(SOCKS5, "ALL_PROXY", ("a.example", ".a.example")),
            "socks5://127.0.0.1:1080",
            "socks5://127.0.0.1:1080 (ALL_PROXY), not for a.example, .a.example",
        ),
    ],
)
def test_proxy_choice_has_chromium_server_and_description(
    choice: ProxyChoice, server: str | None, text: str
) -> None:
    assert (choice.server, str(choice)) == (server, text)


NONE = ProxyChoice()
FOUND = ProxyChoice(HTTP)
OTHER = ProxyChoice(SOCKS5)
NAMED = ProxyChoice(HTTP, "HTTPS_PROXY")
GONE = "The proxy at 127.0.0.1:7890 no longer responds;"
FAR = ProxyChoice(Proxy("http", "proxy.example", 8080), "HTTPS_PROXY")


@pytest.mark.parametrize(
    ("report", "changed", "advice"),
    [
        (ProxyReport(NONE, ProxyAnswer.UNASKED, NONE), False, ""),
        (
            ProxyReport(NONE, ProxyAnswer.UNASKED, FOUND),
            True,
            "A new proxy was found at 127.0.0.1:7890: try again.",
        ),
        (
            ProxyReport(FOUND, ProxyAnswer.SERVES, FOUND),
            False,
            "The proxy at 127.0.0.1:7890 responds: check whether it can reach the site.",
        ),
        (
            ProxyReport(NAMED, ProxyAnswer.REFUSES, NAMED),
            False,
            "The proxy at 127.0.0.1:7890 rejects requests: check if it requires a password.",
        ),
        (
            ProxyReport(FAR, ProxyAnswer.UNASKED, FAR),
            False,
            "Check whether the proxy at proxy.example:8080 responds (HTTPS_PROXY).",
        ),
        (
            ProxyReport(NAMED, ProxyAnswer.ABSENT, NAMED),
            False,
            f"{GONE} restart it, or change HTTPS_PROXY.",
        ),
        (
            ProxyReport(FOUND, ProxyAnswer.ABSENT, OTHER),
            True,
            f"{GONE} there is a new one at 127.0.0.1:1080: try again.",
        ),
        (
            ProxyReport(FOUND, ProxyAnswer.ABSENT, NONE),
            True,
            f"{GONE} restart it, or try again without it.",
        ),
    ],
)
def test_proxy_report_gives_its_changed_flag_and_advice(
    report: ProxyReport, changed: bool, advice: str
) -> None:
    assert (report.changed, report.advice) == (changed, advice)
