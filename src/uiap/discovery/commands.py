"""What a run asks of the hall. Imperative; carried out one at a time, in order."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.spec.discovery import (
    DiscoveryEffect,
    DiscoveryPackage,
    DiscoveryProgressPayload,
    DiscoveryReason,
)


class Command(msgspec.Struct, frozen=True, tag_field="command", tag=True, kw_only=True):
    pass


class Prepare(Command, frozen=True, kw_only=True):
    """Open a fresh context for this principal, sign in, raise the guard; answered by Prepared."""

    profile: str | None
    nobody: bool = False
    """Without signing in: for places that turn away those who are."""


class Load(Command, frozen=True, kw_only=True):
    """Answered by Arrived."""

    url: str


class Act(Command, frozen=True, kw_only=True):
    """Through the public action path; answered by Acted. `node` is a number of the last sight."""

    action: str
    node: str
    role: str
    args: dict[str, Any] = {}
    effect: DiscoveryEffect = "allow"
    reason: DiscoveryReason = "safe"
    why: str = ""
    """DISC-13.1: the decision that permits it."""


class Capture(Command, frozen=True, kw_only=True):
    """Supplementary evidence of a new state; answered by Captured."""

    state: str


class Report(Command, frozen=True, kw_only=True):
    payload: DiscoveryProgressPayload


class Finish(Command, frozen=True, kw_only=True):
    package: DiscoveryPackage
