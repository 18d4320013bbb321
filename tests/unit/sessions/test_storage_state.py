"""Storage states in Playwright's form: written, read, and refused."""

import json

import pytest

from tabwright.config.secrets import Secrets
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie
from tabwright.protocol.session_data import StorageState
from tabwright.protocol.tab import OriginStorage
from tabwright.sessions.storage_state import read_storage_state, storage_state_json

COOKIE = Cookie("sid", "1", "example.com", http_only=True, same_site="Lax")
WIDE = Cookie("all", "2", "example.com", "/a", host_only=False, secure=True, expires_s=5.0)
STATE = StorageState(
    (COOKIE, WIDE), (OriginStorage("https://example.com", (("k", "v"), ("", ""))),)
)


def test_storage_state_round_trips_through_json() -> None:
    again = read_storage_state(storage_state_json(STATE, Secrets()))
    assert again.origins == STATE.origins
    assert again.cookies[0] == COOKIE
    assert again.cookies[1].expires_s == WIDE.expires_s
    assert not again.cookies[1].host_only


def test_storage_state_uses_playwright_field_names() -> None:
    state = json.loads(storage_state_json(STATE, Secrets()))
    assert state["cookies"][0] == {
        "name": "sid",
        "value": "1",
        "domain": "example.com",
        "path": "/",
        "expires": -1.0,
        "httpOnly": True,
        "secure": False,
        "sameSite": "Lax",
    }
    assert state["cookies"][1]["domain"] == ".example.com"
    assert state["origins"][0]["localStorage"][0] == {"name": "k", "value": "v"}


def test_cookies_and_items_with_secrets_are_left_out() -> None:
    secrets = Secrets({"PASS": "correct-horse"})
    state = StorageState(
        (COOKIE, Cookie("pass", "correct-horse", "example.com")),
        (OriginStorage("https://example.com", (("k", "correct-horse"), ("l", "v"))),),
    )
    again = read_storage_state(storage_state_json(state, secrets))
    assert again.cookies == (COOKIE,)
    assert again.origins[0].items == (("l", "v"),)


def test_unknown_keys_are_ignored_and_defaults_are_those_of_playwright() -> None:
    given = b'{"cookies":[{"name":"a","value":"","domain":"b.c","partitionKey":1}],"x":1}'
    state = read_storage_state(given)
    assert state == StorageState((Cookie("a", "", "b.c", same_site="Lax"),))


@pytest.mark.parametrize("text", [b"", b"[]", b'{"cookies":[{"name":1}]}', b"\xff"])
def test_malformed_storage_state_is_refused(text: bytes) -> None:
    with pytest.raises(BadInput):
        read_storage_state(text)
