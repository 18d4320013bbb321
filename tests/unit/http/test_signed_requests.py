"""Which requests the client signs, and for which host."""

from functools import partial

import pytest
import trio

from tabwright.protocol.fetch import Fetch

from .test_signatures import Received, signer, verified
from .web import Asked, Open, Reply, Web


@pytest.fixture
def open_signing(open_client: Open) -> Open:
    return partial(open_client, signer=signer())


def check(asked: Asked, scheme: str = "http") -> None:
    """Assert that the site that received the request can verify its signature."""
    url = f"{scheme}://{asked.headers['host']}{asked.path}"
    assert verified(Received(url, asked.headers))['"@authority"'] == asked.headers["host"]


async def test_client_without_a_key_signs_nothing(web: Web, open_client: Open) -> None:
    web.site("a.example", Reply())
    await open_client().fetch(Fetch("http://a.example/"))
    assert not any("signature" in name for name in web.asked[0].headers)


async def test_each_redirect_and_each_robots_txt_is_signed_for_its_own_host(
    web: Web, open_signing: Open
) -> None:
    web.site("a.example", Reply(status=302, headers=(("Location", "http://b.example/x"),)))
    web.site("b.example", Reply(status=302, headers=(("Location", "https://c.example/y"),)))
    web.site("c.example", Reply(b"here"))
    fetched = await open_signing(robots=True).fetch(Fetch("http://a.example/"))
    assert fetched.body == b"here"
    hosts = [asked.headers["host"] for asked in web.asked]
    assert set(hosts) == {"a.example", "b.example", "c.example"}
    assert "/robots.txt" in web.paths
    for asked in web.asked:
        check(asked)
    signatures = {asked.headers["signature"] for asked in web.asked}
    assert len(signatures) == len(web.asked)


async def test_request_that_is_repeated_is_signed_again(web: Web, open_signing: Open) -> None:
    answers = [Reply(status=503), Reply(b"here")]

    async def answer(asked: Asked) -> Reply:
        await trio.lowlevel.checkpoint()
        return answers.pop(0)

    web.site("a.example", answer)
    await open_signing(retries=1).fetch(Fetch("http://a.example/"))
    first, second = web.asked
    check(second)
    assert first.headers["signature"] != second.headers["signature"]


async def test_request_signed_by_its_caller_is_not_signed_again(
    web: Web, open_signing: Open
) -> None:
    web.site("a.example", Reply())
    own = (("Signature", "theirs=:AA==:"), ("Signature-Input", 'theirs=("@method")'))
    await open_signing().fetch(Fetch("http://a.example/", headers=own))
    headers = web.asked[0].headers
    assert (headers["signature"], headers["signature-input"]) == (own[0][1], own[1][1])
    assert "signature-agent" not in headers


async def test_cache_revalidation_request_is_signed(web: Web, open_signing: Open, tmp_path) -> None:
    web.site("a.example", Reply(b"here", headers=(("ETag", '"1"'), ("Vary", "Accept"))))
    client = open_signing(cache=tmp_path)
    for _ in range(2):
        await client.fetch(Fetch("http://a.example/"))
    assert web.asked[1].headers["if-none-match"] == '"1"'
    check(web.asked[1])
