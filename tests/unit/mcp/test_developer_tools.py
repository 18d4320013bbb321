"""The tools for web developers: selecting cookies, parsing headers, changing options."""

import pytest

from tabwright.config.devices import MOBILE, device, devices
from tabwright.config.secrets import Secrets, SecretSite
from tabwright.mcp.tools.emulation import (
    EmulateArguments,
    LoginArguments,
    changed_options,
    options_text,
    read_headers,
)
from tabwright.mcp.tools.storage import StorageArguments, matching_cookies
from tabwright.page.context_options import PERMISSIONS, option_commands, shown_user_agent
from tabwright.plugins.devtools.route_tool import route_text
from tabwright.protocol.context_options import ContextOptions, RequestRoute
from tabwright.protocol.errors import BadInput
from tabwright.protocol.fetch import Cookie

COOKIES = (
    Cookie("a", "1", "example.com"),
    Cookie("a", "2", "www.example.com", "/shop", secure=True),
    Cookie("b", "3", "example.org", host_only=False),
)
SECRETS = Secrets({"PASS": "correct-horse"})
OWN = "Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/150.1.2.3 Safari/537"


@pytest.mark.parametrize(
    ("wanted", "values"),
    [
        ({}, "123"),
        ({"name": "a"}, "12"),
        ({"domain": "example.com"}, "12"),
        ({"domain": ".www.example.com"}, "2"),
        ({"path": "/shop"}, "2"),
        ({"url": "https://www.example.com/shop/cart"}, "2"),
        ({"url": "http://www.example.com/shop"}, ""),
        ({"url": "http://sub.example.org/"}, "3"),
    ],
)
def test_cookies_are_chosen_by_name_domain_path_and_url(wanted: dict, values: str) -> None:
    found = matching_cookies(COOKIES, StorageArguments(**wanted))
    assert "".join(one.value for one in found) == values


def test_secret_names_in_headers_are_replaced_by_values() -> None:
    assert read_headers(["X-Own:  {{PASS}} "], SECRETS, "") == (("X-Own", "correct-horse"),)


BOUND = Secrets({"PASS": "correct-horse"}, {"PASS": SecretSite.of("shop.example")})


def test_secret_with_site_is_inserted_only_into_headers_for_its_site() -> None:
    lines = ["X-Own: {{PASS}}"]
    assert read_headers(lines, BOUND, "https://shop.example/") == (("X-Own", "correct-horse"),)
    for receiver in ("", "https://other.example/"):
        with pytest.raises(BadInput):
            read_headers(lines, BOUND, receiver)
    with pytest.raises(BadInput):
        changed_options(EmulateArguments(headers=tuple(lines)), ContextOptions(), BOUND)


def test_secret_with_site_is_a_credential_of_its_site_only() -> None:
    for origin, is_sent in (("https://www.shop.example/x", True), ("https://a.b", False)):
        login = LoginArguments(origin=origin, user="ann", password="{{PASS}}")  # noqa: S106  (a name)
        arguments = EmulateArguments(credentials=login)
        if is_sent:
            changed = changed_options(arguments, ContextOptions(), BOUND)
            assert changed.credentials[0].password == "correct-horse"  # noqa: S105  (no password)
        else:
            with pytest.raises(BadInput):
                changed_options(arguments, ContextOptions(), BOUND)


@pytest.mark.parametrize("line", ["none", "a b: c", "X: a\r\nY: b", ": a", "X: \x00"])
def test_line_that_is_not_a_header_is_refused(line: str) -> None:
    with pytest.raises(BadInput):
        read_headers([line], SECRETS, "")


def test_route_and_option_texts_hide_header_values_and_passwords() -> None:
    routes = (RequestRoute("**", headers=(("Authorization", "Bearer x1"),)),)
    login = LoginArguments(origin="https://a.b/c", user="ann", password="{{PASS}}")  # noqa: S106  (a name)
    arguments = EmulateArguments(headers=("X-Own: x2",), credentials=login)
    options = changed_options(arguments, ContextOptions(routes), SECRETS)
    assert options.credentials[0].origin == "https://a.b"
    assert options.credentials[0].password == "correct-horse"  # noqa: S105  (no password)
    shown = options_text(options) + route_text(routes[0]) + repr(options) + repr(login)
    for value in ("x1", "x2", "correct-horse"):
        assert value not in shown


def test_new_credentials_replace_only_those_of_the_same_origin() -> None:
    options = ContextOptions()
    for origin, user in (("https://a.b", "1"), ("https://c.d", "2"), ("https://a.b", "3")):
        login = LoginArguments(origin=origin, user=user, password="x")  # noqa: S106  (a test)
        options = changed_options(EmulateArguments(credentials=login), options, SECRETS)
    assert [one.user for one in options.credentials] == ["3", "2"]


def test_options_are_reset_before_others_are_set() -> None:
    options = ContextOptions(offline=True, cpu_rate=4.0)
    arguments = EmulateArguments(reset=("offline", "cpu_rate"), cpu_rate=2.0)
    assert changed_options(arguments, options, SECRETS) == ContextOptions(cpu_rate=2.0)


def test_only_changed_options_become_commands_and_defaults_undo_them() -> None:
    before, after = ContextOptions(), ContextOptions(offline=True, device=device("pixel 10"))
    methods = [one.method for one in option_commands(before, after, OWN, is_page=False)]
    assert methods == [
        "Network.enable",
        "Network.emulateNetworkConditions",
        "Emulation.setUserAgentOverride",
    ]
    undone = [one.method for one in option_commands(after, before, OWN, is_page=True)]
    assert "Emulation.clearDeviceMetricsOverride" in undone
    assert not list(option_commands(after, after, OWN, is_page=True))


def test_device_has_the_version_of_the_browser() -> None:
    options = ContextOptions(device=device(MOBILE))
    assert "Chrome/150.1.2.3 Mobile" in shown_user_agent(options, OWN)
    assert all(one.width > 0 and one.user_agent for one in devices().values())


def test_every_permission_has_a_name_in_cdp() -> None:
    assert all(PERMISSIONS.values())
