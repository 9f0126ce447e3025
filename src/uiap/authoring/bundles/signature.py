"""Detached Ed25519 signatures of bundles: over the exact bytes, checked before anything is parsed.

The signed data is the DSSE pre-authentication encoding of type and bytes, so that a signature is valid for one payload
type only. Needs the extra `sign`.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from uiap.authoring.bundles.bundle import digest_matches
from uiap.authoring.kinds.review_set import BadTimestamp, parse_timestamp
from uiap.authoring.versions import BadVersion, parse_version
from uiap.errors import UiapError, Unavailable
from uiap.protocol.duplicates import scan_for_duplicate_member
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.base import Struct

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519

PAYLOAD_TYPE = "application/vnd.uiap.bundle+json"


class Untrusted(UiapError):
    """No trusted key signed this bundle; do not use it."""

    code = "forbidden"


class Signature(Struct, forbid_unknown_fields=True):
    """The content of a signature file."""

    payload_type: str
    algorithm: Literal["ed25519"]
    key_id: str
    signature: str


class TrustedKey(Struct):
    """A public key (32 raw bytes, base64) and its expiry."""

    public_key: str
    not_after: str | UnsetType = UNSET


def new_key() -> bytes:
    """Return a new private key as 32 raw bytes."""
    return bytes(_ed25519().Ed25519PrivateKey.generate().private_bytes_raw())


def public_key_of(private: bytes) -> str:
    """Return the public key in base64."""
    return base64.b64encode(_load_private_key(private).public_key().public_bytes_raw()).decode()


def key_id_of(public_key: str) -> str:
    """Return an id derived from the key, so that no two keys share it."""
    return "ed25519:" + hashlib.sha256(_decode_base64(public_key, "public key")).hexdigest()[:32]


def sign(data: bytes, private: bytes) -> Signature:
    """Return the signature of the exact bytes of a bundle."""
    key = _load_private_key(private)
    signed = key.sign(_signed_payload(PAYLOAD_TYPE, data))
    return Signature(
        payload_type=PAYLOAD_TYPE,
        algorithm="ed25519",
        key_id=key_id_of(public_key_of(private)),
        signature=base64.b64encode(signed).decode(),
    )


def verify(
    data: bytes,
    signature: bytes | None,
    keys: Mapping[str, TrustedKey],
    *,
    now: str,
    not_older_than: str | None = None,
) -> UIAPCompiledBundle:
    """Return the bundle if a trusted key signed its exact bytes; raise Untrusted otherwise."""
    claim = _read_signature(signature)
    trusted = keys.get(claim.key_id)
    if trusted is None or key_id_of(trusted.public_key) != claim.key_id:
        raise Untrusted(f"the bundle is signed by `{claim.key_id[:60]}`, which is not a trusted key")
    if trusted.not_after is not UNSET and _timestamp(trusted.not_after) <= _timestamp(now):
        raise Untrusted(f"the key `{claim.key_id}` expired on {trusted.not_after}")
    _check_signature(data, claim, trusted)
    return _decode_signed(data, not_older_than)


def _read_signature(signature: bytes | None) -> Signature:
    if signature is None:
        raise Untrusted("the bundle is not signed")
    try:
        claim = msgspec.json.decode(signature, type=Signature)
    except msgspec.MsgspecError as error:
        raise Untrusted(f"the signature file is damaged: {error}") from None
    if scan_for_duplicate_member(signature) or claim.payload_type != PAYLOAD_TYPE:
        raise Untrusted("the signature is not for a bundle")
    return claim


def _check_signature(data: bytes, claim: Signature, trusted: TrustedKey) -> None:
    from cryptography.exceptions import InvalidSignature

    public = _ed25519().Ed25519PublicKey.from_public_bytes(_decode_base64(trusted.public_key, "public key"))
    try:
        public.verify(_decode_base64(claim.signature, "signature"), _signed_payload(PAYLOAD_TYPE, data))
    except InvalidSignature:
        raise Untrusted(
            "the signature does not match the bundle; it was changed or signed with another key"
        ) from None


def _decode_signed(data: bytes, not_older_than: str | None) -> UIAPCompiledBundle:
    """Parse bytes signed by a trusted key, and check digest and version."""
    if scan_for_duplicate_member(data):
        raise Untrusted("an object in the bundle has the same member twice")
    try:
        bundle = msgspec.json.decode(data, type=UIAPCompiledBundle)
        matches = digest_matches(data)
        is_older = not_older_than is not None and (
            parse_version(bundle.version).order < parse_version(not_older_than).order
        )
    except (msgspec.MsgspecError, BadVersion) as error:
        raise Untrusted(f"the signed bytes are not a bundle: {error}") from None
    if not matches:
        raise Untrusted("the digest of the bundle does not match its content")
    if is_older:
        raise Untrusted(f"version {bundle.version} is older than {not_older_than}, which was used before")
    return bundle


def _signed_payload(payload_type: str, data: bytes) -> bytes:
    """Return the DSSE encoding: `DSSEv1 len type len body`."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(data), data)


def _decode_base64(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Untrusted(f"the {what} is not base64") from None


def _timestamp(text: str) -> Any:
    try:
        return parse_timestamp(text)
    except BadTimestamp as error:
        raise Untrusted(str(error)) from None


def _load_private_key(raw: bytes) -> ed25519.Ed25519PrivateKey:
    if len(raw) != 32:
        raise Unavailable(f"a private key has 32 bytes, not {len(raw)}")
    key: ed25519.Ed25519PrivateKey = _ed25519().Ed25519PrivateKey.from_private_bytes(raw)
    return key


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError:
        raise Unavailable("signing needs the extra: pip install 'uiap[sign]'") from None
    return ed25519
