"""Encode loaded documents as bytes and back, so that they can be cached between runs.

The cache is a sequence of segments, each with a keyed hash. A segment that this program did not write on this account
is not used, and the files are read again. The format is MessagePack of plain values. The caller stores the bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from hmac import compare_digest
from typing import Any

import msgspec

from uiap.authoring.diagnostic import Diagnostic
from uiap.authoring.documents.document import Loaded
from uiap.authoring.kinds.kind import DocumentFacts, Lint, Reference

MAC_BYTES = 32
HEAD_BYTES = 8 + MAC_BYTES  # length, then the hash of the payload

Row = tuple[
    bytes,  # key: the hash of name and text
    Any,  # document
    dict[str, list[str]],  # ids by section, in order
    list[tuple[str, str, str, str]],  # references
    list[tuple[str, str, str, str, str]],  # lints
    list[list[str | int]],  # texts
    list[Diagnostic],
    bool,
]
_decoder = msgspec.msgpack.Decoder(list[Row])


def pack(entries: Iterable[tuple[bytes, Loaded]], secret: bytes) -> bytes:
    """Return one segment. `secret` is 32 bytes of this account and this version of the program."""
    payload = msgspec.msgpack.encode([row for key, loaded in entries for row in _rows(key, loaded)])
    return len(payload).to_bytes(8, "little") + _mac(payload, secret) + payload


def unpack(data: bytes, secret: bytes) -> dict[bytes, Loaded] | None:
    """Return the entries of all segments, or None if a segment is truncated or not ours."""
    found: dict[bytes, Loaded] = {}
    view = memoryview(data)
    while view:
        size = int.from_bytes(view[:8], "little")
        payload = view[HEAD_BYTES : HEAD_BYTES + size]
        if len(payload) != size or not compare_digest(bytes(view[8:HEAD_BYTES]), _mac(payload, secret)):
            return None
        for row in _decoder.decode(payload):
            found[row[0]] = _loaded(row)
        view = view[HEAD_BYTES + size :]
    return found


def _mac(payload: bytes | memoryview, secret: bytes) -> bytes:
    return hashlib.blake2b(payload, digest_size=MAC_BYTES, key=secret, person=b"uiap cache").digest()


def _rows(key: bytes, loaded: Loaded) -> Iterator[Any]:
    """Yield the row of a document without errors; others are read each time, because diagnostics need the text."""
    if loaded.document is None or loaded.error:
        return
    facts = loaded.facts
    ids = {section: list(found) for section, found in facts.ids.items()}
    if all(list(found.values()) == list(range(len(found))) for found in facts.ids.values()):
        yield (
            key,
            loaded.document,
            ids,
            facts.references,
            facts.lints,
            facts.texts,
            loaded.diagnostics,
            loaded.error,
        )


def _loaded(row: Row) -> Loaded:
    _, document, ids, references, lints, texts, diagnostics, error = row
    facts = DocumentFacts(
        {section: dict(zip(names, range(len(names)), strict=True)) for section, names in ids.items()},
        tuple(Reference(*reference) for reference in references),  # type: ignore[arg-type]
        tuple(Lint(*lint) for lint in lints),  # type: ignore[arg-type]
        tuple(tuple(path) for path in texts),
    )
    return Loaded(document, facts, tuple(diagnostics), error)
