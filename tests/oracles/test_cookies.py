"""Cookies, against the test cases of the working group that wrote RFC 6265."""

from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

from tabwright.http.cookies import CookieStore, cookie_date
from tabwright.http.request import target_of

from .cases import read_cases

SITE = "http://home.example.org"
NOW_S = 1254355200.0
"""October 2009, when the cases were written: their dates lie around it."""

DIFFERENT = {
    "DISABLED_CHROMIUM0022": "a cookie with a control character is refused (6265bis, 5.7)",
    "DISABLED_CHROMIUM0023": "as above",
    "DISABLED_PATH0029": "paths are compared as they are written (RFC 6265, 5.1.4)",
    "OPTIONAL_DOMAIN0042": "the last of duplicate attributes counts, even if empty (6265bis, 5.7)",
}


def sent(name: str, received: list[str], path: str | None) -> str:
    jars = CookieStore("all")
    jars.take("s", received, target_of(f"{SITE}/cookie-parser?{name}"), NOW_S)
    url = urljoin(SITE, path) if path else f"{SITE}/cookie-parser-result?{name}"
    return jars.header("s", target_of(url), NOW_S)


def test_cookies_are_kept_and_sent_as_by_browsers() -> None:
    wrong = {
        name
        for name, received, path, expected in read_cases("cookies.json")
        if sent(name, received, path) != "; ".join(expected)
    }
    assert wrong == {*DIFFERENT}


def test_dates_of_cookies_are_read_as_by_browsers() -> None:
    for text, expected in read_cases("cookie_dates.json"):
        moment_s = parsedate_to_datetime(expected).timestamp() if expected else None
        assert cookie_date(text) == moment_s, text
