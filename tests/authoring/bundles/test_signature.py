"""Signatures: any other byte, key, type, age or claim is refused."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.authoring.folders import NOW, action, built, manifest, package

pytest.importorskip("cryptography")

from uiap.authoring.bundles.bundle import with_digest
from uiap.authoring.bundles.signature import (
    PAYLOAD_TYPE,
    Signature,
    TrustedKey,
    Untrusted,
    _signed_payload,
    key_id_of,
    public_key_of,
    sign,
    verify,
)

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
DATA = built(package(manifest("Actions", "a", {"actions": [action("x", "confirm")]}))).data
TRUSTED = {key_id_of(public_key_of(KEY)): TrustedKey(public_key=public_key_of(KEY))}


def claim(data: bytes = DATA, key: bytes = KEY, **changes: Any) -> bytes:
    made = sign(data, key)
    members = {"payloadType": made.payload_type, "algorithm": made.algorithm, "keyId": made.key_id}
    return json.dumps({**members, "signature": made.signature, **changes}).encode()


def is_trusted(data: bytes = DATA, signature: bytes | None = None, **options: Any) -> bool:
    try:
        bundle = verify(
            data,
            claim() if signature is None else signature,
            options.pop("keys", TRUSTED),
            now=NOW,
            **options,
        )
    except Untrusted:
        return False
    return bundle.package_id == "shop.uiap"


def test_a_bundle_signed_by_a_trusted_key_is_accepted() -> None:
    assert is_trusted()
    assert is_trusted(not_older_than="1.0.0")


def _resealed(**changes: Any) -> bytes:
    members = {**json.loads(DATA), **changes}
    members.pop("digest")
    return with_digest(members)


def _unknown_digest() -> bytes:
    members = {**json.loads(DATA), "digest": "sha256:" + "0" * 64}
    return json.dumps(members).encode()


FALSE: dict[str, tuple[bytes, bytes, dict[str, Any]]] = {
    "one byte changed": (DATA.replace(b"confirm", b"confirn"), claim(), {}),
    "risk lowered and resealed": (_resealed(actions=[]), claim(), {}),
    "white space added": (DATA + b" ", claim(), {}),
    "pretty printed": (json.dumps(json.loads(DATA), indent=1).encode(), claim(), {}),
    "a member repeated": (DATA[:-1] + b',"version":"9.9.9"}', claim(), {}),
    "a member repeated and signed": (
        DATA[:-1] + b',"version":"9.9.9"}',
        claim(DATA[:-1] + b',"version":"9.9.9"}'),
        {},
    ),
    "digest edited and signed": (_unknown_digest(), claim(_unknown_digest()), {}),
    "no bundle but signed": (b"{}", claim(b"{}"), {}),
    "no json but signed": (b"\xff", claim(b"\xff"), {}),
    "another key": (DATA, claim(key=OTHER), {}),
    "another key under the trusted name": (DATA, claim(key=OTHER, keyId=next(iter(TRUSTED))), {}),
    "the other key trusted under this name": (
        DATA,
        claim(),
        {"keys": {next(iter(TRUSTED)): TrustedKey(public_key=public_key_of(OTHER))}},
    ),
    "no trusted keys": (DATA, claim(), {"keys": {}}),
    "an expired key": (
        DATA,
        claim(),
        {"keys": {next(iter(TRUSTED)): TrustedKey(public_key=public_key_of(KEY), not_after=NOW)}},
    ),
    "another payload type": (DATA, claim(payloadType="application/json"), {}),
    "another algorithm": (DATA, claim(algorithm="none"), {}),
    "an empty signature": (DATA, claim(signature=""), {}),
    "no base64": (DATA, claim(signature="***"), {}),
    "a signature cut short": (DATA, claim(signature=base64.b64encode(b"x" * 63).decode()), {}),
    "a zero signature": (DATA, claim(signature=base64.b64encode(bytes(64)).decode()), {}),
    "a member the format lacks": (DATA, claim(extra=1), {}),
    "a member twice": (DATA, claim()[:-1] + b', "keyId": "x"}', {}),
    "an empty file": (DATA, b"", {}),
    "an older version": (DATA, claim(), {"not_older_than": "1.0.1"}),
}


@pytest.mark.requirement("AUTH-12")
@pytest.mark.parametrize("name", FALSE)
def test_any_other_bundle_or_signature_is_refused(name: str) -> None:
    data, signature, options = FALSE[name]
    assert not is_trusted(data, signature, **options)


def test_an_unsigned_bundle_is_refused() -> None:
    with pytest.raises(Untrusted, match="not signed"):
        verify(DATA, None, TRUSTED, now=NOW)


def test_a_signature_without_the_payload_type_is_refused() -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.from_private_bytes(KEY)
    for message in (DATA, _signed_payload("application/json", DATA)):
        assert not is_trusted(signature=claim(signature=base64.b64encode(key.sign(message)).decode()))
    right = base64.b64encode(key.sign(_signed_payload(PAYLOAD_TYPE, DATA))).decode()
    assert is_trusted(signature=claim(signature=right))


def test_a_second_form_of_the_same_signature_is_refused() -> None:
    """Ed25519 signatures are unique; a careless implementation also accepts S plus the order of the group."""
    order = 2**252 + 27742317777372353535851937790883648493
    raw = base64.b64decode(json.loads(claim())["signature"])
    twin = raw[:32] + (int.from_bytes(raw[32:], "little") + order).to_bytes(32, "little")
    assert not is_trusted(signature=claim(signature=base64.b64encode(twin).decode()))


def test_signing_is_deterministic_and_names_its_key() -> None:
    made = sign(DATA, KEY)
    assert made == sign(DATA, KEY)
    assert isinstance(made, Signature)
    assert made.key_id == key_id_of(public_key_of(KEY))


@pytest.mark.parametrize(
    ("secret", "public", "message", "signature"),
    [  # RFC 8032, 7.1
        (
            "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            "",
            "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
            "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
        ),
        (
            "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            "72",
            "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
            "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
        ),
    ],
)
def test_signatures_agree_with_the_vectors_of_rfc_8032(
    secret: str, public: str, message: str, signature: str
) -> None:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    assert base64.b64decode(public_key_of(bytes.fromhex(secret))).hex() == public
    made = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)).sign(bytes.fromhex(message))
    assert made.hex() == signature
