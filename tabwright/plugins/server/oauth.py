"""Access tokens of an OAuth 2.1 authorization server, which this server trusts as its issuer.

The issuer's metadata (RFC 8414, or OpenID Connect Discovery) names its keys (RFC 7517). A token is
a JWT (RFC 7519) whose audience is the URL of this server (RFC 8707).
"""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar
from urllib.parse import urlsplit, urlunsplit

import attrs
import httpx2
import jwt
import msgspec
import trio

from tabwright.plugins.server.principals import TokenRefused

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "EdDSA")
"""Signatures by keys that only the issuer has; none of a shared secret."""

CLOCKS_DIFFER_S = 30
"""Tolerance for the clock of the issuer, in seconds."""

REFRESH_MIN_S = 30.0
"""The shortest time between two requests for the keys, which anyone's token can cause."""

REFRESH_S = 3600.0
"""The age at which keys are asked for again, so that one that the issuer has dropped ends."""

TIMEOUT_S = 10.0

DocumentT = TypeVar("DocumentT", bound=msgspec.Struct)


class _Metadata(msgspec.Struct, frozen=True):
    issuer: str
    jwks_uri: str


class _Key(msgspec.Struct, frozen=True):
    kid: str = ""
    use: str = "sig"


class _KeySet(msgspec.Struct, frozen=True):
    keys: tuple[msgspec.Raw, ...]


class _Claims(msgspec.Struct, frozen=True):
    sub: str
    scope: str = ""
    scp: tuple[str, ...] = ()


@attrs.define(eq=False)
class IssuedTokens:
    """Verifies tokens of an issuer.

    Attributes:
        issuer: the URL of the issuer, as its metadata and its tokens have it.
        audience: the URL of this server, as its clients know it.
        scopes: the scopes that a token must have.
        now_s: returns the time in seconds, from any beginning.
    """

    issuer: str
    audience: str
    scopes: Collection[str]
    now_s: Callable[[], float] = trio.current_time
    _keys: Mapping[str, jwt.PyJWK] = attrs.field(factory=dict[str, jwt.PyJWK], init=False)
    _asked_s: float = attrs.field(default=float("-inf"), init=False)
    _asking: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    async def principal(self, token: str, /) -> str:
        """Return the subject of a token; see `TokenVerifier.principal`."""
        try:
            key_id = str(jwt.get_unverified_header(token).get("kid", ""))
            key = await self._key(key_id)
            claims = jwt.decode(
                token,
                key,
                algorithms=ALGORITHMS,
                audience=self.audience,
                issuer=self.issuer,
                leeway=CLOCKS_DIFFER_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
            known = msgspec.convert(claims, _Claims)
        except (jwt.PyJWTError, msgspec.ValidationError) as error:
            raise TokenRefused(f"the token is not accepted: {error}") from error
        for scope in self.scopes:
            if scope not in {*known.scope.split(), *known.scp}:
                raise TokenRefused(f"the token has no scope {scope}", scope)
        if not known.sub:  # which would be the operator of the server
            raise TokenRefused("the token has no subject")
        return known.sub

    async def _key(self, key_id: str) -> jwt.PyJWK:
        """Return the key of that id; ask the issuer for its keys if it is unknown or old.

        Raises:
            TokenRefused: the issuer has no such key, or does not answer.
        """
        if key_id not in self._keys or self.now_s() > self._asked_s + REFRESH_S:
            async with self._asking:
                await self._ask(key_id)
        if key_id not in self._keys:
            raise TokenRefused("the token is signed by an unknown key")
        return self._keys[key_id]

    async def _ask(self, key_id: str) -> None:
        """Ask the issuer for its keys, unless that was done just before.

        Raises:
            TokenRefused: the issuer does not answer, and the key is unknown.
        """
        if self.now_s() <= self._asked_s + REFRESH_MIN_S:
            return
        self._asked_s = self.now_s()
        try:
            with trio.fail_after(TIMEOUT_S):
                self._keys = await _issuers_keys(self.issuer)
        except (httpx2.HTTPError, msgspec.MsgspecError, trio.TooSlowError) as error:
            if key_id not in self._keys:
                raise TokenRefused("the issuer of the token cannot be reached") from error


async def _issuers_keys(issuer: str) -> Mapping[str, jwt.PyJWK]:
    async with httpx2.AsyncClient(timeout=None, follow_redirects=False) as client:
        responses = [await client.get(url) for url in metadata_urls(issuer)]
        found = next((one for one in responses if one.is_success), responses[0])
        metadata = _decoded(found, _Metadata)
        if metadata.issuer != issuer:
            raise msgspec.ValidationError(f"the metadata is that of {metadata.issuer}")
        listed = _decoded(await client.get(metadata.jwks_uri), _KeySet)
    return {key_id: key for key_id, key in map(_signing_key, listed.keys) if key is not None}


def metadata_urls(issuer: str) -> tuple[str, ...]:
    """Return where an issuer publishes its metadata: RFC 8414, section 3.1, and OpenID Connect."""
    parts = urlsplit(issuer)
    path = parts.path.rstrip("/")
    places = (
        f"/.well-known/oauth-authorization-server{path}",
        f"/.well-known/openid-configuration{path}",
        f"{path}/.well-known/openid-configuration",
    )
    urls = (urlunsplit((parts.scheme, parts.netloc, place, "", "")) for place in places)
    return tuple(dict.fromkeys(urls))


def _decoded(response: httpx2.Response, kind: type[DocumentT]) -> DocumentT:
    response.raise_for_status()
    return msgspec.json.decode(response.content, type=kind)


def _signing_key(raw: msgspec.Raw) -> tuple[str, jwt.PyJWK | None]:
    """Return a key by its id, or None for a key of a kind that signs no token here."""
    known = msgspec.json.decode(raw, type=_Key)
    try:
        key = jwt.PyJWK(msgspec.json.decode(raw)) if known.use == "sig" else None
    except jwt.PyJWTError:
        key = None
    return known.kid, key
