"""A host loop with a few handlers, for tests that need a real peer."""

from __future__ import annotations

from typing import Any

from uiap.host.handlers.capabilities import CapabilityHandler
from uiap.host.loop.dispatch import Call, Outcome
from uiap.host.loop.loop import HostLoop
from uiap.protocol.negotiation import Support
from uiap.spec.capability import ActionDescriptor, CapabilityDocument, RiskDescriptor
from uiap.spec.core import ExtensionOffer, ParticipantInfo

SUPPORT = Support(
    profiles=("web@0.1",),
    extensions=(ExtensionOffer(id="uiap.policy", versions=("0.1",)),),
)
AGENT = ParticipantInfo(role="agent", id="tester")
DOCUMENT = CapabilityDocument(
    model_version="0.1",
    profile="web@0.1",
    roles=("button", "textbox"),
    state_keys=("visible", "enabled"),
    affordances=("activate",),
    actions=(
        ActionDescriptor(
            id="ui.activate",
            kind="primitive",
            target_kinds=("element",),
            execution_modes=("semanticUi",),
            risk=RiskDescriptor(level="safe"),
        ),
    ),
    risk_levels=("safe", "confirm", "blocked"),
    success_signal_kinds=("route.changed",),
)


async def broken(_call: Call) -> Outcome:
    raise RuntimeError("secret detail that must not leave")


def make_host_loop(**settings: Any) -> HostLoop:
    handler = CapabilityHandler(DOCUMENT)
    handlers = {"capabilities.list": handler.list, "uiap.policy.get": broken, **settings.pop("handlers", {})}
    me = ParticipantInfo(role="bridge", id="web-runtime")
    return HostLoop(handlers, support=settings.pop("support", SUPPORT), me=me, **settings)
