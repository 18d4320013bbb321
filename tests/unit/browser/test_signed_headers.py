"""The paused requests that are signed, and the headers with which they continue."""

from random import Random

import pytest

from tabwright.browser.url_guard import signed_headers
from tabwright.cdp.domains.fetch import RequestPaused
from tabwright.cdp.domains.network import RequestData
from tabwright.http.signatures import RequestSigner

SIGNER = RequestSigner("key", "https://bot.example", lambda base: base, lambda: 0, Random(1))


def paused(url: str, **headers: str) -> RequestPaused:
    return RequestPaused("7", RequestData(url, "GET", headers), "Fetch")


def test_request_is_signed_for_the_host_of_its_url_and_keeps_its_headers():
    found = signed_headers(paused("https://bank.example@a.example:81/", Accept="*/*"), SIGNER)
    assert found is not None
    assert found[0] == ("Accept", "*/*")
    assert [name for name, _ in found[1:]] == ["Signature-Agent", "Signature-Input", "Signature"]


def test_signed_headers_omit_referer():
    found = signed_headers(paused("https://a.example/", Referer="https://b.example/x"), SIGNER)
    assert found is not None
    assert "Referer" not in dict(found)


@pytest.mark.parametrize("name", ["Signature", "signature-input", "Signature-Agent"])
def test_request_already_signed_by_its_page_is_unchanged(name):
    assert signed_headers(paused("https://a.example/", **{name: "theirs"}), SIGNER) is None


@pytest.mark.parametrize("url", ["data:,x", "blob:https://a.example/1", "about:blank", "ws://a.b/"])
def test_non_http_request_is_not_signed(url):
    assert signed_headers(paused(url), SIGNER) is None
