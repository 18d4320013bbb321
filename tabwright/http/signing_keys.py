"""The key of signed requests: a file with an Ed25519 private key, and its public key to publish.

Imported only where requests are signed: `cryptography` takes time.
"""

import logging
import os
import stat
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from random import Random

import msgspec
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from tabwright.http.signatures import RequestSigner
from tabwright.protocol.errors import SettingsError
from tabwright.protocol.web_urls import WebUrl
from tabwright.text.file_errors import file_problem

_log = logging.getLogger("tabwright.http")

DIRECTORY_PATH = "/.well-known/http-message-signatures-directory"
"""The path at which a site publishes its public keys."""

DIRECTORY_TYPE = "application/http-message-signatures-directory+json"

CREATE = "Create a key with `tabwright config signing-key FILE`."


class PrivateJWK(msgspec.Struct, frozen=True):
    """A private key in JSON (RFC 8037, section 2)."""

    kty: str
    crv: str
    d: str
    x: str = ""


def read_key(path: Path) -> Ed25519PrivateKey:
    """Read a private key in PEM (PKCS #8) or as a JWK.

    Raises:
        SettingsError: the file cannot be read, or is not such a key; nothing of it is repeated.
    """
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_mode & stat.S_IROTH:
                _log.warning("All users of this machine can read %s.", path)
            data = file.read()
    except OSError as error:
        raise SettingsError(
            f"network.signing: {file_problem(error, path)}", advice=CREATE
        ) from error
    try:
        key = _of_jwk(data) if data.lstrip().startswith(b"{") else load_pem_private_key(data, None)
    except (ValueError, TypeError, UnsupportedAlgorithm, msgspec.MsgspecError):
        key = None  # an error of the parser might repeat a part of the key
    if not isinstance(key, Ed25519PrivateKey):
        raise SettingsError(
            f"network.signing: {path} is not an Ed25519 private key, without a password, in"
            " PEM or as a JWK.",
            advice=CREATE,
        )
    return key


def _of_jwk(data: bytes) -> Ed25519PrivateKey | None:
    jwk = msgspec.json.decode(data, type=PrivateJWK)
    if (jwk.kty, jwk.crv) != ("OKP", "Ed25519"):
        return None
    key = Ed25519PrivateKey.from_private_bytes(urlsafe_b64decode(f"{jwk.d}=="))
    return key if jwk.x in {"", public_part(key)} else None


def create_key(path: Path) -> Ed25519PrivateKey:
    """Write a new private key to a file that does not exist, readable by its user only.

    Raises:
        OSError: the file exists, or cannot be written.
    """
    key = Ed25519PrivateKey.generate()
    data = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
    return key


def public_part(key: Ed25519PrivateKey) -> str:
    """Return the public key in base64url, the member ``x`` of its JWK."""
    return urlsafe_b64encode(key.public_key().public_bytes_raw()).rstrip(b"=").decode()


def key_id(key: Ed25519PrivateKey) -> str:
    """Return the thumbprint of the public key (RFC 7638; RFC 8037, appendix A.3)."""
    members = f'{{"crv":"Ed25519","kty":"OKP","x":"{public_part(key)}"}}'
    return urlsafe_b64encode(sha256(members.encode()).digest()).rstrip(b"=").decode()


def key_directory(key: Ed25519PrivateKey) -> dict[str, list[dict[str, str]]]:
    """Return the public key as a JSON Web Key Set, which a site publishes at `DIRECTORY_PATH`."""
    jwk = {
        "kty": "OKP",
        "crv": "Ed25519",
        "kid": key_id(key),
        "x": public_part(key),
        "use": "sig",
    }
    return {"keys": [jwk]}


def signer_of_key(
    path: str, agent: str | None, now: Callable[[], float], random: Random
) -> RequestSigner:
    """Return what signs requests with the key in a file.

    Args:
        path: the file.
        agent: the address of the site that publishes the public key; None if there is none.
        now: the time in seconds since 1970 UTC.
        random: makes the nonces.

    Raises:
        SettingsError: see `read_key`.
    """
    key = read_key(Path(path).expanduser())
    origin = WebUrl.read(agent).text.rstrip("/") if agent else None
    return RequestSigner(key_id(key), origin, key.sign, now, random)
