"""HTTP headers as they are shown to users."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tabwright.page.events.header_log import shown_headers
from tabwright.page.frames import LATEST_MAX
from tabwright.page.outline_text import ENTRY_MAX

VALUE = "s3cr3t-value"


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("Cookie", f"sid={VALUE}; theme={VALUE}", "sid=(hidden); theme=(hidden)"),
        ("cookie", VALUE, "(hidden)"),
        ("cookie", f"a={VALUE}=", "a=(hidden)"),
        ("Set-Cookie", f"sid={VALUE}; Path=/; HttpOnly", "sid=(hidden); Path=/; HttpOnly"),
        ("Authorization", f"Bearer {VALUE}", "Bearer (hidden)"),
        ("authorization", VALUE, "(hidden)"),
        ("Proxy-Authorization", f"Basic {VALUE}", "Basic (hidden)"),
        ("X-Auth-Token", VALUE, "(hidden)"),
        ("x-api-key", VALUE, "(hidden)"),
        ("X-CSRF", VALUE, "(hidden)"),
        ("Content-Type", "text/plain", "text/plain"),
        ("WWW-Authenticate", 'Basic realm="x"', 'Basic realm="x"'),
        ("Access-Control-Allow-Credentials", "true", "true"),
        ("X-Token", "", ""),
    ],
)
def test_values_of_credentials_are_hidden_and_names_stay(name, value, shown):
    assert shown_headers({name: value}) == ((name, shown),)


def test_repeated_headers_are_reported_separately():
    joined = {"Set-Cookie": f"a={VALUE}\nb={VALUE}; Secure", "Vary": "x\ny"}
    assert shown_headers(joined) == (
        ("Set-Cookie", "a=(hidden)"),
        ("Set-Cookie", "b=(hidden); Secure"),
        ("Vary", "x"),
        ("Vary", "y"),
    )


@given(st.sampled_from(["Cookie", "Set-Cookie", "Authorization"]), st.text(max_size=20))
def test_cookie_and_authorization_values_are_always_hidden(name, before):
    ((_, shown),) = shown_headers({name: f"{before.translate({10: None, 59: None})}={VALUE}"})
    assert VALUE not in shown


def test_headers_are_bounded():
    many = shown_headers({f"x-{number}": "v" * 10_000 for number in range(1000)})
    assert len(many) == LATEST_MAX
    assert max(len(value) for _, value in many) <= ENTRY_MAX
