"""Signed requests: sites can tell by a public key whose requests they are (Web Bot Auth).

A signature covers the authority of its request and the address of the public key, and holds for a
minute, so it is of no use for another site. Sources: RFC 9421, and the drafts
draft-meunier-web-bot-auth-architecture and draft-ietf-webbotauth-httpsig-protocol.
"""

from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from random import Random
from typing import TypeAlias

import ada_url
import attrs

from tabwright.http.request import Headers

Component: TypeAlias = tuple[str, str]
"""A covered part of a request: its identifier, as it is serialized, and its value (section 2)."""

LABEL = "sig1"
"""The name of our signature, and of the address of its key (section 4)."""

TAG = "web-bot-auth"
ALGORITHM = "ed25519"

LIFETIME_S = 60
"""How long a signature holds, in seconds: long enough to be checked, and hardly to be reused."""

NONCE_BYTES = 64
"""By a nonce, a site can detect a signature that is used twice."""

NAMES = ("Signature-Agent", "Signature-Input", "Signature")

_NAMES_IN_LOWER_CASE = frozenset(name.lower() for name in NAMES)


@attrs.frozen(eq=False)
class RequestSigner:
    """Signs requests.

    Attributes:
        key_id: the thumbprint of the key (RFC 7638).
        agent: the origin that publishes the public key; None if it is known by other means.
    """

    key_id: str
    agent: str | None
    _sign: Callable[[bytes], bytes] = attrs.field(repr=False)
    _now: Callable[[], float] = attrs.field(repr=False)
    _random: Random = attrs.field(repr=False)

    def headers(self, authority: str) -> Headers:
        """Return the headers that sign a request.

        Args:
            authority: the header ``Host`` of the request, in lower case.
        """
        components: list[Component] = [('"@authority"', authority)]
        named: Headers = ()
        if self.agent is not None:
            agent = quoted(self.agent)
            components.append((f'"signature-agent";key="{LABEL}"', agent))
            named = (("Signature-Agent", f"{LABEL}={agent}"),)
        created = int(self._now())
        parameters = signature_parameters(
            components,
            {
                "created": created,
                "keyid": self.key_id,
                "alg": ALGORITHM,
                "expires": created + LIFETIME_S,
                "nonce": b64encode(self._random.randbytes(NONCE_BYTES)).decode(),
                "tag": TAG,
            },
        )
        signature = b64encode(self._sign(signature_base(components, parameters))).decode()
        return (
            *named,
            ("Signature-Input", f"{LABEL}={parameters}"),
            ("Signature", f"{LABEL}=:{signature}:"),
        )


def signature_parameters(
    components: Iterable[Component], parameters: Mapping[str, int | str]
) -> str:
    """Return ``@signature-params``: what is covered, and the parameters (section 2.3)."""
    covered = " ".join(identifier for identifier, _ in components)
    values = (
        f";{name}={value if isinstance(value, int) else quoted(value)}"
        for name, value in parameters.items()
    )
    return f"({covered}){''.join(values)}"


def signature_base(components: Sequence[Component], parameters: str) -> bytes:
    """Return the bytes that are signed (section 2.5)."""
    lines = (*components, ('"@signature-params"', parameters))
    return "\n".join(f"{identifier}: {value}" for identifier, value in lines).encode("ascii")


def quoted(text: str) -> str:
    """Return a string of ASCII as structured fields have it (RFC 9651, section 4.1.6)."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def has_signature(names: Iterable[str]) -> bool:
    """Return whether headers of these names sign a request, or say who has signed it."""
    return not _NAMES_IN_LOWER_CASE.isdisjoint(map(str.lower, names))


def sent_authority(url: str) -> str | None:
    """Return the header ``Host`` with which Chromium requests a URL; None if it requests nothing.

    Args:
        url: as Chromium reports it, with or without a user name and a password.
    """
    try:
        read = ada_url.URL(url)
    except ValueError:
        return None
    return str(read.host) if read.protocol in {"http:", "https:"} else None
