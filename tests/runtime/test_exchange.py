"""ACT §17 on the example application: the same request, the same sequence of messages, the same result."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec import UNSET

import uiap
from apps.videoland import Settings, serving
from uiap.spec.action import (
    ActionAcceptedPayload,
    ActionRequestPayload,
    ActionTarget,
    PresentationHints,
    VerificationSpec,
)
from uiap.spec.capability import RouteChanged, StableIdRef, ToastContains

REQUEST = ActionRequestPayload(
    action_id="ui.activate",
    target=ActionTarget(
        ref=StableIdRef(value="video.submit"), expected_role="button", expected_name="Video erstellen"
    ),
    verification=VerificationSpec(
        policy="all",
        signals=(RouteChanged(pattern="/videos/:id"), ToastContains(text="erstellt")),
        timeout_ms=8000,
        require_revision_advance=True,
    ),
    presentation=PresentationHints(ghost_cursor=True, highlight="spotlight", pace="humanized"),
    timeout_ms=12000,
)


@pytest.mark.browser
@pytest.mark.requirement("ACT-17", "ACT-17b", "ACT-5.8", "ACT-5.2", "ACT-6.1")
async def test_the_submit_button_of_section_17() -> None:
    received: list[tuple[str, Any]] = []
    ended = asyncio.Event()
    with serving(Settings(rows=5, truth=True, auto_login=True)) as server:
        async with uiap.open(f"{server.url}/videos/new?as=admin&lang=de") as ui:
            await ui.act("ui.enterText", stable_id="video.title", args={"text": "Kapitel 17"})
            for kind in ("action.progress", "action.result"):
                ui._caller.listen(kind, lambda message, kind=kind: received.append((kind, message)))
            ui._caller.listen("action.result", lambda _: ended.set())
            accepted = await ui._caller.call("action.request", REQUEST, ActionAcceptedPayload)
            async with asyncio.timeout(30):
                await ended.wait()
    kinds = [kind for kind, _ in received]
    assert set(kinds[:-1]) == {"action.progress"} and kinds[-1] == "action.result"
    stages = [message.stage for kind, message in received if kind == "action.progress"]
    assert stages[0] == "resolving_target" and stages[-2:] == ["executing", "verifying"]
    reports = {message.stage: message for kind, message in received if kind == "action.progress"}
    first = reports["resolving_target"].resolved_target
    assert (first.by, first.stable_id, first.name) == ("stableId", "video.submit", "Video erstellen")
    assert reports["executing"].resolved_target.bbox.width > 0
    assert all(message.action_handle == accepted.action_handle for _, message in received)
    result = received[-1][1]
    assert (result.status, result.side_effect_state) == ("succeeded", "applied")
    target = result.resolved_target
    assert (target.by, target.stable_id, target.role, target.name) == (
        "stableId", "video.submit", "button", "Video erstellen"
    )  # fmt: skip
    assert (
        target.instance_id
        and target.document_id
        and target.scope_id is not UNSET
        and target.bbox is not UNSET
    )
    assert REQUEST.verification is not UNSET
    assert result.verification.passed and result.verification.observed == REQUEST.verification.signals
    assert result.verification.timeout_ms == 8000
    assert result.state_revision is not UNSET and result.chosen_execution_mode is not UNSET
