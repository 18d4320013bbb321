"""The private key file: accepted keys, refused files, and secrecy."""

import json
import logging
import stat
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

from tabwright.http.signing_keys import (
    create_key,
    key_directory,
    key_id,
    public_part,
    read_key,
    signer_of_key,
)
from tabwright.protocol.errors import SettingsError

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
D = urlsafe_b64encode(bytes(range(32))).rstrip(b"=").decode()
PEM, PKCS8 = Encoding.PEM, PrivateFormat.PKCS8


def jwk(**changes: object) -> bytes:
    return json.dumps(
        {"kty": "OKP", "crv": "Ed25519", "d": D, "x": public_part(KEY), **changes}
    ).encode()


@pytest.mark.parametrize(
    "data",
    [KEY.private_bytes(PEM, PKCS8, NoEncryption()), jwk(), jwk(x="", kid="mine"), b"\n" + jwk()],
    ids=["PEM", "JWK", "JWK without x", "JWK after a line break"],
)
def test_signing_key_is_read_from_pem_and_jwk(tmp_path: Path, data: bytes):
    file = tmp_path / "key"
    file.write_bytes(data)
    assert key_id(read_key(file)) == key_id(KEY)


REFUSED = {
    "empty": b"",
    "text": b"hello",
    "not JSON": b"{" + D.encode(),
    "no private part": jwk(d=None),
    "another curve": jwk(crv="X25519"),
    "another type": jwk(kty="EC"),
    "too short": jwk(d=D[:20]),
    "not base64": jwk(d="?" * 43),
    "another public part": jwk(x=D),
    "a password": KEY.private_bytes(PEM, PKCS8, BestAvailableEncryption(b"secret")),
    "a public key": KEY.public_key().public_bytes(PEM, PublicFormat.SubjectPublicKeyInfo),
    "ECDSA": generate_private_key(SECP256R1()).private_bytes(PEM, PKCS8, NoEncryption()),
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED.keys())
def test_file_without_a_usable_key_is_refused_without_quoting_it(tmp_path: Path, data: bytes):
    file = tmp_path / "key"
    file.write_bytes(data)
    with pytest.raises(SettingsError) as refusal:
        read_key(file)
    error = refusal.value
    assert "network.signing" in str(error)
    assert D[:10] not in str(error)
    assert error.__cause__ is None
    assert error.__context__ is None


def test_missing_file_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match=r"network\.signing"):
        read_key(tmp_path / "nowhere")


def test_new_key_file_is_private_and_never_overwrites_another(tmp_path: Path):
    file = tmp_path / "folder" / "key.pem"
    made = create_key(file)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert key_id(read_key(file)) == key_id(made)
    with pytest.raises(FileExistsError):
        create_key(file)
    assert key_id(read_key(file)) == key_id(made)


def test_key_that_others_can_read_is_reported(tmp_path: Path, caplog):
    file = tmp_path / "key.pem"
    create_key(file)
    with caplog.at_level(logging.WARNING):
        read_key(file)
        assert not caplog.records
        file.chmod(0o644)
        read_key(file)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_directory_has_the_public_key_only():
    (found,) = key_directory(KEY)["keys"]
    assert found == {
        "kty": "OKP",
        "crv": "Ed25519",
        "kid": key_id(KEY),
        "x": public_part(KEY),
        "use": "sig",
    }


@pytest.mark.parametrize(
    ("named", "origin"),
    [
        ("https://bot.example", "https://bot.example"),
        ("https://Bot.Example:443/", "https://bot.example"),
        (None, None),
    ],
)
def test_signer_names_the_origin_of_the_agent(tmp_path: Path, named, origin):
    file = tmp_path / "key.pem"
    made = create_key(file)
    one = signer_of_key(str(file), named, lambda: 0, None)
    assert (one.key_id, one.agent) == (key_id(made), origin)
