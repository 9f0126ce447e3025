"""The commands of a discovery run, in the imperative. Each worker carries its own out one at a time, in order."""

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
    worker: int = 0
    """The number of the worker whose browser carries the command out."""


class Prepare(Command, frozen=True, kw_only=True):
    """Open a fresh context for a principal, sign in and activate the network guard. Answered by `Prepared`."""

    profile: str | None
    anonymous: bool = False
    """Do not sign in: some pages are shown only to people who are not signed in."""


class Load(Command, frozen=True, kw_only=True):
    """Load an address. Answered by `Arrived`."""

    url: str


class Act(Command, frozen=True, kw_only=True):
    """Perform an action through the public action path. Answered by `Acted`."""

    action: str
    node: str
    """The number of the element in the last observed graph."""
    role: str
    args: dict[str, Any] = {}
    effect: DiscoveryEffect = "allow"
    reason: DiscoveryReason = "safe"
    why: str = ""
    """The decision that allows the action (DISC-13.1)."""
    leads_to: str | None = None
    """The address of a link. A slow page goes there a while after the press."""


class Capture(Command, frozen=True, kw_only=True):
    """Store evidence of a new state. Answered by `Captured`."""

    state: str


class Report(Command, frozen=True, kw_only=True):
    """Publish the progress of the run."""

    payload: DiscoveryProgressPayload


class Finish(Command, frozen=True, kw_only=True):
    """Store the package; the run is over."""

    package: DiscoveryPackage
