"""Access tokens of an OAuth issuer whose metadata and keys are served on loopback."""

import json
import time

import attrs
import jwt
import pytest
import trio
from cryptography.hazmat.primitives.asymmetric import ec, rsa

from tabwright.plugins.server.oauth import REFRESH_S, IssuedTokens, metadata_urls
from tabwright.plugins.server.principals import TokenRefused
from tabwright.testing.replica.server import ServerResponse, open_server

AUDIENCE = "https://browser.example/mcp"
RSA_KEY = rsa.generate_private_key(65537, 2048)
EC_KEY = ec.generate_private_key(ec.SECP256R1())
OTHER_KEY = rsa.generate_private_key(65537, 2048)
JSON = "application/json"


def public(key, key_id, **more):
    algorithm = jwt.algorithms.RSAAlgorithm if key is RSA_KEY else jwt.algorithms.ECAlgorithm
    return {**json.loads(algorithm.to_jwk(key.public_key())), "kid": key_id, **more}


@attrs.define(eq=False)
class Issuer:
    """A fake authorization server.

    Attributes:
        issuer: the issuer that its metadata names.
        place: the path of its metadata.
        keys: its public keys.
        asked: the number of requests for the keys.
        answers: to be set by the test before it answers; None to answer at once.
        begun: set by a request that waits for `answers`.
    """

    url: str = ""
    issuer: str = ""
    place: str = "/.well-known/oauth-authorization-server"
    keys: list = attrs.field(factory=lambda: [public(RSA_KEY, "r"), public(EC_KEY, "e")])
    asked: int = 0
    begun: trio.Event = attrs.field(factory=trio.Event)
    answers: trio.Event | None = None

    async def answer(self, exchange):
        if self.answers is not None:
            self.begun.set()
            await self.answers.wait()
        known = {self.place: self._metadata, "/keys": self._keys}
        given = known.get(exchange.path)
        body = json.dumps(given()).encode() if given else b""
        status = 200 if given else 404
        await exchange.answer(ServerResponse(body, status=status, content_type=JSON))

    def _metadata(self):
        return {"issuer": self.issuer, "jwks_uri": f"{self.url}/keys", "more": 1}

    def _keys(self):
        self.asked += 1
        return {"keys": self.keys}


@pytest.fixture
async def issuer():
    one = Issuer()
    async with open_server(one.answer, []) as port:
        one.url = one.issuer = f"http://127.0.0.1:{port}"
        yield one


def token(issuer, key=RSA_KEY, algorithm="RS256", key_id="r", **claims):
    given = {
        "iss": issuer.issuer,
        "aud": AUDIENCE,
        "sub": "ann",
        "exp": int(time.time()) + 600,
        **claims,
    }
    held = {name: value for name, value in given.items() if value is not None}
    return jwt.encode(held, key, algorithm, headers={"kid": key_id})


def verifier(issuer, *scopes, **details):
    return IssuedTokens(issuer.url, AUDIENCE, scopes, **details)


@pytest.mark.parametrize(
    ("key", "algorithm", "key_id"), [(RSA_KEY, "RS256", "r"), (EC_KEY, "ES256", "e")]
)
async def test_the_subject_of_a_valid_token_is_the_user(issuer, key, algorithm, key_id):
    assert await verifier(issuer).principal(token(issuer, key, algorithm, key_id)) == "ann"


@pytest.mark.parametrize(
    "change",
    [
        {"aud": "https://other.example/mcp"},
        {"aud": None},
        {"iss": "https://other.example"},
        {"iss": None},
        {"exp": 1},
        {"exp": None},
        {"nbf": 99_999_999_999},
        {"sub": None},
        {"sub": 7},
        {"sub": ""},
        {"key": OTHER_KEY},
        {"key_id": "unknown"},
        {"key_id": "e"},
        {"key": "secret" * 8, "algorithm": "HS256"},
        {"key": None, "algorithm": "none"},
    ],
    ids=lambda change: "-".join(f"{name}_{str(value)[:12]}" for name, value in change.items()),
)
async def test_invalid_token_is_refused(issuer, change):
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(token(issuer, **change))


@pytest.mark.parametrize("text", ["", "a.b.c", "not a token", "e30.e30.e30"])
async def test_malformed_token_is_refused(issuer, text):
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(text)


async def test_token_signed_with_public_key_as_shared_secret_is_refused(issuer):
    """The classic attack on verifiers that trust the algorithm of the token."""
    secret = public(RSA_KEY, "r")["n"]
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(token(issuer, secret, "HS256", "r"))


@pytest.mark.parametrize("claims", [{"scope": "read browse"}, {"scp": ["browse"]}])
async def test_a_token_with_the_scope_is_accepted(issuer, claims):
    assert await verifier(issuer, "browse").principal(token(issuer, **claims)) == "ann"


@pytest.mark.parametrize("claims", [{}, {"scope": "browser"}, {"scp": ["read"]}])
async def test_token_without_the_scope_is_refused_naming_it(issuer, claims):
    with pytest.raises(TokenRefused) as refused:
        await verifier(issuer, "browse").principal(token(issuer, **claims))
    assert refused.value.scope == "browse"


async def test_issuer_keys_are_fetched_once_despite_unknown_key_ids(issuer):
    tokens = verifier(issuer)
    for _ in range(3):
        await tokens.principal(token(issuer))
        with pytest.raises(TokenRefused):
            await tokens.principal(token(issuer, key_id="unknown"))
    assert issuer.asked == 1


async def test_new_issuer_key_is_accepted_after_a_while(issuer):
    now_s = [0.0]
    tokens, issuer.keys = verifier(issuer, now_s=lambda: now_s[0]), [public(EC_KEY, "e")]
    await tokens.principal(token(issuer, EC_KEY, "ES256", "e"))
    issuer.keys = [public(RSA_KEY, "r")]
    with pytest.raises(TokenRefused):
        await tokens.principal(token(issuer))
    now_s[0] = 60.0
    assert await tokens.principal(token(issuer)) == "ann"


async def test_key_dropped_by_issuer_is_refused_after_refresh(issuer):
    now_s = [0.0]
    tokens = verifier(issuer, now_s=lambda: now_s[0])
    await tokens.principal(token(issuer))
    issuer.keys, now_s[0] = [public(EC_KEY, "e")], 2 * REFRESH_S
    with pytest.raises(TokenRefused):
        await tokens.principal(token(issuer))


async def test_known_keys_are_kept_while_the_issuer_does_not_answer(issuer):
    now_s = [0.0]
    tokens = verifier(issuer, now_s=lambda: now_s[0])
    await tokens.principal(token(issuer))
    issuer.place, now_s[0] = "/elsewhere", 2 * REFRESH_S
    assert await tokens.principal(token(issuer)) == "ann"


async def test_token_with_known_key_does_not_wait_for_unknown_key_lookup(issuer):
    """Anyone can send a token with an unknown key while the issuer is slow to answer."""
    now_s = [0.0]
    tokens = verifier(issuer, now_s=lambda: now_s[0])
    await tokens.principal(token(issuer))
    now_s[0], issuer.answers = 60.0, trio.Event()

    async def send_unknown():
        with pytest.raises(TokenRefused):
            await tokens.principal(token(issuer, key_id="unknown"))

    async with trio.open_nursery() as nursery:
        nursery.start_soon(send_unknown)
        with trio.fail_after(5):
            await issuer.begun.wait()
            assert await tokens.principal(token(issuer)) == "ann"
        issuer.answers.set()


async def test_metadata_naming_another_issuer_is_refused(issuer):
    issuer.issuer = "https://other.example"
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(token(issuer, iss=issuer.url))


async def test_token_is_refused_if_issuer_metadata_is_unreachable(issuer):
    given, issuer.place = token(issuer), "/elsewhere"
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(given)


@pytest.mark.parametrize("place", ["/.well-known/openid-configuration"])
async def test_issuer_metadata_is_found_at_openid_location(issuer, place):
    issuer.place = place
    assert await verifier(issuer).principal(token(issuer)) == "ann"


async def test_encryption_key_is_not_used_to_verify_tokens(issuer):
    issuer.keys = [public(RSA_KEY, "r", use="enc")]
    with pytest.raises(TokenRefused):
        await verifier(issuer).principal(token(issuer))


def test_metadata_urls_of_issuer_with_path_follow_both_standards():
    assert metadata_urls("https://a.example/t/1") == (
        "https://a.example/.well-known/oauth-authorization-server/t/1",
        "https://a.example/.well-known/openid-configuration/t/1",
        "https://a.example/t/1/.well-known/openid-configuration",
    )
