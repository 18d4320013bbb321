import json

import pytest

from tabwright.app import _masking as masking
from tabwright.cdp.connection import LOGGED_MAX, sent_line
from tabwright.cdp.wire import encode_command
from tabwright.config.secrets import BEGINNING_MIN, Secrets, load_secrets
from tabwright.page.outline_text import truncate
from tabwright.protocol.errors import BadInput, SettingsError


def test_secret_value_is_found_by_name_and_hidden_in_repr() -> None:
    secrets = Secrets({"PASSWORD": "hunter22"})
    assert secrets.value("PASSWORD") == "hunter22"
    assert "hunter22" not in repr(secrets)


def test_unknown_secret_error_lists_known_names() -> None:
    with pytest.raises(BadInput, match=r"no secret PIN. There are: PASSWORD"):
        Secrets({"PASSWORD": "hunter22"}).value("PIN")


def test_placeholder_is_kept_literally_without_secrets() -> None:
    assert Secrets().value("NAME") == "{{NAME}}"
    assert not Secrets()


def test_longest_secret_values_are_masked_first() -> None:
    secrets = Secrets({"A": "hunter", "B": "hunter22", "PIN": "123"})
    assert secrets.masked("hunter22 hunter 123") == "{{B}} {{A}} 123"


def test_secrets_file_is_read_with_comments_and_quoting(tmp_path) -> None:
    file = tmp_path / "secrets.env"
    file.write_text("# mine\nUSER=ada\nexport PASSWORD='a $b # c'\nEMPTY=\n")
    secrets = load_secrets(str(file))
    assert secrets.value("PASSWORD") == "a $b # c"
    assert secrets.value("USER") == "ada"
    with pytest.raises(BadInput):
        secrets.value("EMPTY")


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
