"""The rule of idempotency keys: may a request be carried out, or was it carried out before?

A key is bound to the digest of its first request. A known outcome is replayed, an unknown one is refused, and no
request is dispatched twice. An effect that lives only in an open page is never replayed for another page, where it
does not exist. This module knows neither the store nor the clock.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple, TypeAlias

import msgspec
from msgspec import UNSET

from uiap.digests import json_digest
from uiap.spec.action import ActionRequestPayload, ActionResultPayload
from uiap.spec.policy import SideEffectClass

EntryKind: TypeAlias = Literal["claim", "intent", "outcome", "page_outcome"]
PAGE_EFFECTS: frozenset[SideEffectClass] = frozenset({"none", "navigation", "ui_state", "draft"})
"""Effects that live only in an open page. A new session does not have them."""
OBSERVE_FIRST = "observe the page first; to do it again on purpose, send it with a new idempotencyKey"


class LedgerEntry(msgspec.Struct, frozen=True):
    """One entry of a key: its claim, the intent before its dispatch, or its outcome.

    A `page_outcome` is an outcome whose effect lives only in the page of its action.
    """

    kind: EntryKind
    handle: str
    digest: str
    result: ActionResultPayload | None = None


class Fresh(msgspec.Struct, frozen=True):
    """Nothing was dispatched under this key. `claimed`: it was taken, but never used."""

    claimed: bool = False


class Replay(msgspec.Struct, frozen=True):
    """The outcome is known: it is returned again, and nothing is dispatched."""

    result: ActionResultPayload


class InProgress(msgspec.Struct, frozen=True):
    """The same request is running now; its result answers this one too."""

    handle: str


class UnknownOutcome(msgspec.Struct, frozen=True):
    """An earlier attempt has an unknown outcome (`unsafe_retry_refused`)."""

    why: str


class KeyConflict(msgspec.Struct, frozen=True):
    """The key belongs to another request."""

    handle: str


Admission: TypeAlias = Fresh | Replay | InProgress | UnknownOutcome | KeyConflict


def admit(
    entries: Sequence[LedgerEntry], digest: str, live: Container[str], here: Container[str]
) -> Admission:
    """Return what to do with a request.

    `live` holds the handles of the actions that run in this process, `here` those that acted on this page.
    """
    if not entries:
        return Fresh()
    if entries[0].digest != digest:
        return KeyConflict(entries[0].handle)
    outcomes = [entry for entry in entries if entry.kind in ("outcome", "page_outcome")]
    if outcomes:
        own = [entry for entry in outcomes if entry.kind == "outcome" or entry.handle in here]
        return _answer(own[-1]) if own else _elsewhere(entries)
    if (running := next((e.handle for e in reversed(entries) if e.handle in live), None)) is not None:
        return InProgress(running)
    if any(entry.kind == "intent" for entry in entries):
        return UnknownOutcome(
            f"an earlier attempt was interrupted, and its outcome is unknown; {OBSERVE_FIRST}"
        )
    return Fresh(claimed=True)


def _elsewhere(entries: Sequence[LedgerEntry]) -> Admission:
    """Return what to do with a request whose only effects are in pages of other sessions."""
    if any(entry.kind == "intent" for entry in entries):
        return UnknownOutcome(f"it was done in a page of another session, not in this one; {OBSERVE_FIRST}")
    return Fresh(claimed=True)


def _answer(entry: LedgerEntry) -> Admission:
    if entry.result is None or entry.result.side_effect_state == "unknown":
        return UnknownOutcome(f"the outcome of an earlier attempt is unknown; {OBSERVE_FIRST}")
    return Replay(entry.result)


def digest(request: ActionRequestPayload) -> str:
    """Return the digest of a request without its key, presentation and metadata."""
    bare = msgspec.structs.replace(request, idempotency_key=UNSET, presentation=UNSET, metadata=UNSET)
    return json_digest(bare)


def claim(app: str, principal: str, key: str) -> str:
    """Return the ledger's name of a key: keys of different applications or principals never collide."""
    return sha256("\0".join((app, principal, key)).encode()).hexdigest()


def replay_result(result: ActionResultPayload, handle: str) -> ActionResultPayload:
    """Return a stored result as the answer to another request, marked as replayed."""
    stored = {} if result.metadata is UNSET else result.metadata
    metadata = {**stored, "replayed": True, "originalHandle": result.action_handle}
    return msgspec.structs.replace(result, action_handle=handle, metadata=metadata)


def replay_reason(admission: Replay | InProgress) -> str:
    """Return which action did what a replayed request asks for, in words for the audit log."""
    first = admission.result.action_handle if isinstance(admission, Replay) else admission.handle
    return f"nothing was done; the answer is the result of {first}"


class ReportedPage(NamedTuple):
    """The revision of the page that a caller got last, and how many times callers got one."""

    revision: str
    reports: int


ANY_REVISION = ""
"""The revision of a conditional request: any later snapshot shows whether its effect is there (CAP-7)."""


class UnknownOutcomes:
    """Requests without a key whose outcome is unknown. The same request is refused until the page was observed again.

    The page counts as observed again if a caller got a later snapshot, and that snapshot has another revision. On
    a page with another address, or after the same caller has entered another value, it is another request.
    """

    def __init__(self) -> None:
        self._unknown: dict[tuple[str, str], ReportedPage] = {}

    def record(
        self, owner: str, digest: str, repeatable: bool, page: ReportedPage, entered: bool = False
    ) -> None:
        """Remember a request that must not be repeated. After an entered value, no earlier request is repeated."""
        if entered:
            self._unknown = {key: page for key, page in self._unknown.items() if key[0] != owner}
        if repeatable:
            self._unknown.pop((owner, digest), None)
        else:
            self._unknown[owner, digest] = page

    def refusal(self, owner: str, digest: str, now: ReportedPage) -> str | None:
        """Return why the request is refused, or None. `now` is the page as callers last got it."""
        before = self._unknown.get((owner, digest))
        if before is None or (now.reports > before.reports and now.revision != before.revision):
            return None
        return f"the same request was tried, and its outcome is unknown; {OBSERVE_FIRST}"
