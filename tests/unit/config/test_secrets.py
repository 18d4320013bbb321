import json

import pytest

from tabwright.app import _masking as masking
from tabwright.cdp.connection import LOGGED_MAX, sent_line
from tabwright.cdp.wire import encode_command
from tabwright.config.secrets import (
    BEGINNING_MIN,
    Secrets,
    SecretSite,
    any_site_warning,
    load_secrets,
)
from tabwright.page.outline_text import truncate
from tabwright.protocol.errors import BadInput, Effect, SettingsError


def test_secret_value_is_found_by_name_and_hidden_in_repr() -> None:
    secrets = Secrets({"PASSWORD": "hunter22"})
    assert secrets.value("PASSWORD", None) == "hunter22"
    assert "hunter22" not in repr(secrets)


def test_unknown_secret_error_lists_known_names() -> None:
    with pytest.raises(BadInput, match=r"no secret PIN. There are: PASSWORD"):
        Secrets({"PASSWORD": "hunter22"}).value("PIN", None)


def test_placeholder_is_kept_literally_without_secrets() -> None:
    assert Secrets().value("NAME", None) == "{{NAME}}"
    assert not Secrets()


def test_longest_secret_values_are_masked_first() -> None:
    secrets = Secrets({"A": "hunter", "B": "hunter22", "PIN": "123"})
    assert secrets.masked("hunter22 hunter 123") == "{{B}} {{A}} 123"


def test_secrets_file_is_read_with_comments_and_quoting(tmp_path) -> None:
    file = tmp_path / "secrets.env"
    file.write_text("# mine\nUSER=ada\nexport PASSWORD='a $b # c'\nEMPTY=\n")
    secrets = load_secrets(str(file))
    assert secrets.value("PASSWORD", None) == "a $b # c"
    assert secrets.value("USER", None) == "ada"
    with pytest.raises(BadInput):
        secrets.value("EMPTY", None)


def test_a_file_that_is_not_there_is_reported(tmp_path) -> None:
    with pytest.raises(SettingsError, match=r"acting\.secrets"):
        load_secrets(str(tmp_path / "none"))
    assert not load_secrets(None)


@pytest.mark.parametrize(
    "shown",
    [
        'pa"ss w\u00f6rd&x',
        r"pa\"ss w\u00f6rd&x",
        'pa\\"ss w\u00f6rd&x',
        "pa%22ss%20w%C3%B6rd%26x",
        "pa%22ss+w%C3%B6rd%26x",
    ],
)
def test_secret_is_masked_in_every_encoding(shown: str) -> None:
    secrets = Secrets({"W": 'pa"ss w\u00f6rd&x'})
    assert secrets.masked(f"<{shown}>") == "<{{W}}>"


def test_truncated_secret_is_masked() -> None:
    secrets = Secrets({"LONG": "abcdefghijklmnop"})
    assert secrets.masked("is abcdefghij\u2026 and abc\u2026") == "is {{LONG}}\u2026 and abc\u2026"
    cut = truncate(f"{'x' * 15}abcdefghijklmnop{'y' * 20}", 45)
    assert secrets.masked(cut) == f"{'x' * 15}{{{{LONG}}}} \u2026(+26 characters)"


@pytest.mark.parametrize("secret", ["correct horse battery", 'pa"ss\\ w\u00f6rd&x "of" mine'])
def test_secret_truncated_in_wire_log_is_masked(secret: str) -> None:
    spelt = json.dumps(secret, ensure_ascii=False)[1:-1]
    lines: list[str] = []
    log = masking(Secrets({"S": secret}), lines.append)
    for before in range(LOGGED_MAX - 2 * len(spelt), LOGGED_MAX):
        log(sent_line(encode_command(1, "s1", "A.b", {"c": f"{'x' * before}{secret}"})))
    shown = [spelt[at : at + BEGINNING_MIN] for at in range(len(spelt) - BEGINNING_MIN)]
    assert [line for line in lines if any(part in line for part in shown)] == []
    assert any("{{S}}\u2026" in line for line in lines)


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("shop.example", "https://shop.example"),
        ("shop.example", "http://login.shop.example:8080/x"),
        ("SHOP.example", "https://shop.EXAMPLE/"),
        ("b\u00fccher.example", "https://xn--bcher-kva.example/"),
        ("shop.example:443", "https://a.shop.example/"),
        ("localhost:8080", "http://localhost:8080"),
        ("localhost", "http://localhost:9000"),
        ("127.0.0.1:80", "http://127.0.0.1/"),
        ("[::1]:8080", "http://[::1]:8080"),
    ],
)
def test_site_of_secret_includes_its_pages_and_subdomains(site: str, url: str) -> None:
    assert SecretSite.of(site).includes(url)


@pytest.mark.parametrize(
    ("site", "url"),
    [
        ("shop.example", "https://evilshop.example/"),
        ("shop.example", "https://shop.example.evil.example/"),
        ("shop.example", "https://evil.example/shop.example"),
        ("shop.example", "https://shop.example@evil.example/"),
        ("login.shop.example", "https://shop.example/"),
        ("shop.example:8443", "https://shop.example/"),
        ("localhost:8080", "http://localhost:8081"),
        ("localhost", "http://evil.localhost"),
        ("127.0.0.1", "http://1.127.0.0.1.example"),
        ("10.0.0.1", "http://10.0.0.10"),
        ("shop.example", "null"),
        ("shop.example", ""),
        ("shop.example", "data:text/html,shop.example"),
        ("shop.example", "ftp://shop.example/"),
    ],
)
def test_site_of_secret_does_not_include_other_sites(site: str, url: str) -> None:
    assert not SecretSite.of(site).includes(url)


def test_secret_with_site_is_refused_to_other_receivers(tmp_path) -> None:
    file = tmp_path / "secrets.env"
    file.write_text("PIN@shop.example=1234\nexport KEY@[::1]:80='a b'\nUSER=ada\n")
    secrets = load_secrets(str(file))
    assert dict(secrets.items()) == {"PIN": "1234", "KEY": "a b", "USER": "ada"}
    assert secrets.inserted("{{PIN}} {{USER}}", "https://www.shop.example/") == "1234 ada"
    assert secrets.value("KEY", "http://[::1]/") == "a b"
    assert secrets.value("PIN", None) == "1234"
    for receiver in ("https://evil.example/", "", "null"):
        assert secrets.value("USER", receiver) == "ada"
        with pytest.raises(BadInput) as refusal:
            secrets.inserted("{{USER}} {{PIN}}", receiver)
        assert refusal.value.effect is Effect.NONE
        assert "shop.example" in str(refusal.value)
        assert "1234" not in str(refusal.value)


@pytest.mark.parametrize(
    "lines",
    [
        "PIN@=98765",
        "PIN@https://shop.example=98765",
        "PIN@shop.example/login=98765",
        "PIN@shop.example,other.example=98765",
        "PIN@co.uk=98765",
        "PIN@github.io=98765",
        "PIN@shop.example=98765\nPIN@other.example=1234",
        "PIN@shop.example=98765\nPIN=1234",
    ],
)
def test_invalid_site_of_secret_is_reported_without_the_value(tmp_path, lines: str) -> None:
    file = tmp_path / "secrets.env"
    file.write_text(lines)
    with pytest.raises(SettingsError) as error:
        load_secrets(str(file))
    assert "98765" not in str(error.value)


def test_warning_names_the_secrets_without_a_site() -> None:
    sites = {"PIN": SecretSite.of("shop.example")}
    assert any_site_warning(Secrets({"PIN": "1234"}, sites)) == ""
    warning = any_site_warning(Secrets({"PIN": "1234", "USER": "hunter22"}, sites))
    assert "USER" in warning
    assert "hunter22" not in warning
