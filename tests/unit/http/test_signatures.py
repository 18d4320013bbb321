"""Request signatures, checked with published vectors and an independent verifier."""

from base64 import b64decode, urlsafe_b64decode
from collections.abc import Mapping
from random import Random

import attrs
import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageVerifier, MappingKeyResolver, algorithms
from http_message_signatures.exceptions import InvalidSignature as Refused
from hypothesis import given
from hypothesis import strategies as st

from tabwright.http.signatures import (
    LABEL,
    LIFETIME_S,
    NONCE_BYTES,
    RequestSigner,
    has_signature,
    quoted,
    sent_authority,
    signature_base,
    signature_parameters,
)
from tabwright.http.signing_keys import key_id

NOW_S = 1_800_000_000.5
AGENT = "https://bot.example"

PUBLISHED = Ed25519PrivateKey.from_private_bytes(
    urlsafe_b64decode("n4Ni-HpISpVObnQMW0wOhCKROaIKqKtW_2ZYb2p9KcU=")
)
"""The key test-key-ed25519 of RFC 9421, appendix B.1.4, with which all vectors are signed."""


def nonces(text: str) -> dict[str, int | str]:
    """Return the parameters of the draft's vectors, with this nonce and expiry."""
    nonce, _, expires = text.partition(" ")
    return {
        "created": 1735689600,
        "keyid": "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U",
        "alg": "ed25519",
        "expires": int(expires),
        "nonce": nonce,
        "tag": "web-bot-auth",
    }


AUTHORITY = ('"@authority"', "example.com")

VECTORS = {
    "RFC 9421, B.2.6": (
        (
            ('"date"', "Tue, 20 Apr 2021 02:07:55 GMT"),
            ('"@method"', "POST"),
            ('"@path"', "/foo"),
            AUTHORITY,
            ('"content-type"', "application/json"),
            ('"content-length"', "18"),
        ),
        {"created": 1618884473, "keyid": "test-key-ed25519"},
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
    ),
    "draft, without Signature-Agent": (
        (AUTHORITY,),
        nonces(
            "zIW8+cdmA3vdYagbxojpONwa/l0EKJ/O3/wD486VvsQjO/RxPaSt6ZxvQaMcQzNnqKN/mQ6hpGiFro2L2qkz5A=="
            " 4889289600"
        ),
        "QKN4fTdIYfh82fvoZCQiQA1weuozfCS/Led2zTMbewMMqH8PI2Wsy/5c4ao6B6D09nraNQdBNOADg8aM1MqfCg==",
    ),
    "draft, with a member of Signature-Agent": (
        (AUTHORITY, ('"signature-agent";key="agent2"', '"https://signature-agent.test"')),
        nonces(
            "n9p433xm+NJ3ph3upfBIGmsuwHw387YV7Q/F+6BSpGCVjYCqQw6rznNA8PVVLySrAWsv0hQtFioQb6E1YsauiA=="
            " 4889289600"
        ),
        "RdNFx5Bj6au3YgAMQL/RzmUlZE8QZLIaXGRpw985hWnwPfMxT228NMk6ehRS1PSl4e8PhbNZACSanGdhEwYCCg==",
    ),
    "draft, with the whole Signature-Agent": (
        (AUTHORITY, ('"signature-agent"', '"https://signature-agent.test"')),
        nonces(
            "e8N7S2MFd/qrd6T2R3tdfAuuANngKI7LFtKYI/vowzk4lAZYadIX6wW25MwG7DCT9RUKAJ0qVkU0mEeLElW1qg=="
            " 1735693200"
        ),
        "jdq0SqOwHdyHr9+r5jw3iYZH6aNGKijYp/EstF4RQTQdi5N5YYKrD+mCT1HA1nZDsi6nJKuHxUi/5Syp3rLWBA==",
    ),
}
"""Components, parameters and signatures: facts of the RFC and of the drafts of Web Bot Auth.

The drafts' appendix "Test Vectors" and web_bot_auth_architecture_v2.json of
github.com/cloudflare/web-bot-auth have the same ones.
"""


@pytest.mark.parametrize(
    ("components", "parameters", "signature"), VECTORS.values(), ids=VECTORS.keys()
)
def test_published_vector_has_the_published_signature(components, parameters, signature):
    base = signature_base(components, signature_parameters(components, parameters))
    assert PUBLISHED.sign(base) == b64decode(signature)


def test_key_id_is_the_thumbprint_of_the_vectors():
    assert key_id(PUBLISHED) == "poqkLGiymh_W0uP6PZFw-dvez3QJT5SolqXBCW38r0U"


def test_key_id_is_the_thumbprint_of_rfc_8037():
    private = urlsafe_b64decode("nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=")
    key = Ed25519PrivateKey.from_private_bytes(private)
    assert key_id(key) == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k"


def signer(key: Ed25519PrivateKey = PUBLISHED, agent: str | None = AGENT) -> RequestSigner:
    return RequestSigner(key_id(key), agent, key.sign, lambda: NOW_S, Random(1))


@attrs.frozen
class Received:
    """A request as a site receives it, in the form that the verifier accepts."""

    url: str
    headers: Mapping[str, str]
    method: str = "GET"


class Verifier(HTTPMessageVerifier):
    """The verifier of `http-message-signatures`, without a check of the current time."""

    def validate_created_and_expires(self, sig_input, max_age=None):
        assert 0 < sig_input.params["expires"] - sig_input.params["created"] <= LIFETIME_S


def verified(request: Received, key: Ed25519PrivateKey = PUBLISHED) -> Mapping[str, str]:
    """Return what the signature covers, according to the independent verifier."""
    keys = MappingKeyResolver(public_keys={key_id(key): key.public_key()}, private_keys={})
    verifier = Verifier(signature_algorithm=algorithms.ED25519, key_resolver=keys)
    (found,) = verifier.verify(request, expect_tag="web-bot-auth")
    return found.covered_components


LABELS = st.text("abcxyz019", min_size=1, max_size=9)
HOSTS = st.lists(LABELS, min_size=1, max_size=4).map(lambda labels: ".".join((*labels, "test")))
PORTS = st.none() | st.integers(1, 65535)


@given(st.binary(min_size=32, max_size=32), HOSTS, PORTS, HOSTS, st.sampled_from(["http", "https"]))
def test_signature_is_accepted_by_an_independent_verifier(private, host, port, agent, scheme):
    key = Ed25519PrivateKey.from_private_bytes(private)
    url = f"{scheme}://{host}{f':{port}' if port else ''}/a?b#c"
    authority = sent_authority(url)
    assert authority is not None
    headers = dict(signer(key, f"https://{agent}").headers(authority))
    covered = verified(Received(url, headers), key)
    assert covered['"@authority"'] == authority
    assert covered[f'"signature-agent";key="{LABEL}"'] == f'"https://{agent}"'


@given(HOSTS, HOSTS)
def test_signature_of_one_site_is_refused_by_another(host, other):
    headers = dict(signer().headers(host))
    if host == other:
        verified(Received(f"https://{other}/", headers))
    else:
        with pytest.raises((Refused, InvalidSignature)):
            verified(Received(f"https://{other}/", headers))


def test_signature_input_has_creation_expiry_nonce_and_tag():
    found = dict(signer(agent=None).headers("a.example"))
    assert "Signature-Agent" not in found
    start, nonce = found["Signature-Input"].split(";nonce=")
    assert start == (
        f'{LABEL}=("@authority");created=1800000000;keyid="{key_id(PUBLISHED)}"'
        ';alg="ed25519";expires=1800000060'
    )
    text, tag = nonce.split(";")
    assert (len(b64decode(text.strip('"'))), tag) == (NONCE_BYTES, 'tag="web-bot-auth"')


def test_nonces_of_two_requests_differ():
    one = signer()
    assert one.headers("a.example") != one.headers("a.example")


def test_signer_repr_does_not_show_the_private_key():
    assert repr(signer()) == f"RequestSigner(key_id='{key_id(PUBLISHED)}', agent='{AGENT}')"


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://a.example/", "a.example"),
        ("http://a.example:8080/x", "a.example:8080"),
        ("https://bank.example@a.example/", "a.example"),
        ("https://bank.example:443@a.example:8443/", "a.example:8443"),
        ("https://a.example./", "a.example."),
        ("http://[::1]:8080/", "[::1]:8080"),
        ("data:text/plain,https://bank.example/", None),
        ("blob:https://bank.example/1", None),
        ("about:blank", None),
        ("not a URL", None),
    ],
)
def test_sent_authority_is_the_host_of_the_request_url(url, authority):
    assert sent_authority(url) == authority


@pytest.mark.parametrize("name", ["Signature", "signature-input", "SIGNATURE-AGENT"])
def test_signature_headers_are_recognised_in_any_case(name):
    assert has_signature(("Accept", name))
    assert not has_signature(("Accept", f"X-{name}"))


def test_quotes_and_backslashes_are_escaped():
    assert quoted('a"b\\c') == '"a\\"b\\\\c"'
