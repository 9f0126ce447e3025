"""May this request be carried out, or was it already? The one rule of companions §12.6, from entries to a value.

A key is bound to the digest of its first request. What is known is answered again, what is not known is refused, and
nothing is ever fired a second time. Knows neither the store nor the clock.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from hashlib import sha256
from typing import Literal, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.digests import json_digest
from uiap.spec.action import ActionRequestPayload, ActionResultPayload

EntryKind: TypeAlias = Literal["claim", "intent", "outcome"]
FRESH_LOOK = "look at the page first; to do it again on purpose, send it with a new idempotencyKey"


class LedgerEntry(msgspec.Struct, frozen=True):
    """What the ledger holds of a key: who claimed it, that its input was about to go out, what came of it."""

    kind: EntryKind
    handle: str
    digest: str
    result: ActionResultPayload | None = None


class Fresh(msgspec.Struct, frozen=True):
    """Nothing can have happened under this key; `claimed` where somebody took it and never came to act."""

    claimed: bool = False


class Replay(msgspec.Struct, frozen=True):
    """The outcome is known: it is told again, and nothing is done."""

    result: ActionResultPayload


class InProgress(msgspec.Struct, frozen=True):
    """The same request is being carried out right now; its result will be this one's too."""

    handle: str


class UnknownOutcome(msgspec.Struct, frozen=True):
    """Nobody knows whether it happened (`unsafe_retry_refused`)."""

    why: str


class KeyConflict(msgspec.Struct, frozen=True):
    """The key belongs to another request."""

    handle: str


Admission: TypeAlias = Fresh | Replay | InProgress | UnknownOutcome | KeyConflict


def admit(entries: Sequence[LedgerEntry], digest: str, live: Container[str]) -> Admission:
    """`live`: the handles of actions that are under way in this process."""
    if not entries:
        return Fresh()
    if entries[0].digest != digest:
        return KeyConflict(entries[0].handle)
    outcomes = [entry for entry in entries if entry.kind == "outcome"]
    if outcomes:
        return _known(outcomes[-1])
    if (running := next((e.handle for e in reversed(entries) if e.handle in live), None)) is not None:
        return InProgress(running)
    if any(entry.kind == "intent" for entry in entries):
        return UnknownOutcome(
            f"an earlier try was cut off, and nobody knows whether it happened; {FRESH_LOOK}"
        )
    return Fresh(claimed=True)


def _known(entry: LedgerEntry) -> Admission:
    if entry.result is None or entry.result.side_effect_state == "unknown":
        return UnknownOutcome(f"nobody knows whether it happened before; {FRESH_LOOK}")
    return Replay(entry.result)


def digest(request: ActionRequestPayload) -> str:
    """What is asked for, without its key and without how it is shown."""
    bare = msgspec.structs.replace(request, idempotency_key=UNSET, presentation=UNSET, metadata=UNSET)
    return json_digest(bare)


def claim(app: str, principal: str, key: str) -> str:
    """The scope of a key is the app and who asks (companions §12.6)."""
    return sha256("\0".join((app, principal, key)).encode()).hexdigest()


def replay_result(result: ActionResultPayload, handle: str) -> ActionResultPayload:
    """A stored result as the answer to another request: its own handle, and where it comes from."""
    told = {} if result.metadata is UNSET else result.metadata
    metadata = {**told, "replayed": True, "originalHandle": result.action_handle}
    return msgspec.structs.replace(result, action_handle=handle, metadata=metadata)


class UnknownOutcomes:
    """Requests without a key that ended unknown: the same again is refused until a later revision was observed."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str], tuple[str, int]] = {}

    def ended(self, who: str, digest: str, unknown: bool, revision: str, shown: int) -> None:
        """`revision`: the one before the input; `shown`: how often the page had been given out by then."""
        if unknown:
            self._open[who, digest] = (revision, shown)
        else:
            self._open.pop((who, digest), None)

    def about(self, who: str, digest: str, revision: str, shown: int) -> str | None:
        """`revision`: the last one that was given out."""
        before = self._open.get((who, digest))
        if before is None or (shown > before[1] and revision != before[0]):
            return None
        return f"the same was tried, and nobody knows whether it happened; {FRESH_LOOK}"
