"""How Google wraps the address of a page that it links to, and how its server unwraps it."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import shake_256
from typing import Literal, TypeAlias
from urllib.parse import urlencode

LinkForm: TypeAlias = Literal["direct", "url", "goto"]

_KEY = b"only the server can read what it sealed"


def wrapped(url: str, form: LinkForm) -> str:
    """Gives the ``href`` under which the page shows `url`."""
    match form:
        case "direct":
            return url
        case "url":
            return "/url?" + urlencode({"q": url, "sa": "U", "usg": "AOvVaw"})
        case "goto":
            return "/goto?" + urlencode({"url": sealed(url)})


def sealed(text: str) -> str:
    """Makes `text` a token that tells a reader nothing."""
    return urlsafe_b64encode(_masked(text.encode())).decode("ascii").rstrip("=")


def unsealed(token: str) -> str:
    """Reads a token of `sealed` again; any other raises ValueError."""
    return _masked(urlsafe_b64decode(token + "=" * (-len(token) % 4))).decode()


def _masked(data: bytes) -> bytes:
    mask = shake_256(_KEY).digest(len(data))
    return bytes(byte ^ other for byte, other in zip(data, mask, strict=True))
