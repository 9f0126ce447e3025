"""Checks of a request before anything happens: the kind of its target, its modes, and a repetition of it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.bundled_videos import ROOT, Videos, VideosSession, action, videos_bundle, videos_session
from uiap.actions.registry import ACTIONS
from uiap.drivers.scripted.app import ScriptedPage, ScriptedScope, Widget
from uiap.spec.action import VerificationSpec
from uiap.spec.capability import ActionDescriptor, RiskDescriptor, ToastContains
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload

SCOPE = {"by": "scope", "value": "form.new-video"}
SAVE = {"by": "semantic", "role": "button", "name": "Save"}
TAKEN = (ToastContains(text="got"),)


def descriptor(
    id: str, *kinds: str, modes: tuple[str, ...] = ("appAction",), **members: Any
) -> ActionDescriptor:
    return ActionDescriptor(
        id=id,
        kind="domain",
        target_kinds=kinds,  # type: ignore[arg-type]
        execution_modes=modes,  # type: ignore[arg-type]
        risk=RiskDescriptor(level="safe"),
        **members,
    )


def register(session: VideosSession, *kinds: str, **members: Any) -> list[Any]:
    """Register `video.take` for these kinds of targets. Return what its function is called with."""
    got: list[Any] = []

    async def take(target: Any = None) -> None:
        got.append(target)
        await session.videos.on_page(lambda app: app.toast(f"got {len(got)}"))

    session.services.actions.app_actions.register(
        "video.take", take, descriptor("video.take", *kinds, success=TAKEN, **members)
    )
    return got


@pytest.mark.requirement("CAP-7b")
async def test_a_target_of_another_kind_is_refused_and_a_missing_one_is_required() -> None:
    async with videos_session(None) as session:
        scoped = register(session, "scope")
        wrong = await session.act("video.take", target=SAVE)
        assert (wrong.status, wrong.error.code) == ("failed", "action_unsupported")
        assert "takes no target of the kind element" in wrong.error.message
        missing = await session.act("video.take")
        assert missing.error.code == "target_required" and scoped == []
        pressed = await session.act("ui.activate", target={"by": "route", "value": "/videos"})
        assert pressed.error.code == "action_unsupported" and session.videos.saved == []
        assert (await session.act("ui.activate")).error.code == "target_required"
        free = register(session, "scope", "none")
        assert (await session.act("video.take")).status == "succeeded" and free == [None]


@pytest.mark.requirement("CAP-7c")
async def test_scope_route_entity_and_session_reach_the_function() -> None:
    async with videos_session(None) as session:
        got = register(session, "scope", "route", "entity", "session")
        targets = [
            SCOPE,
            {"by": "route", "value": "/videos"},
            {"by": "custom", "value": "entity:video:7"},
            {"by": "custom", "value": "session"},
        ]
        for target in targets:
            assert (await session.act("video.take", target=target)).status == "succeeded"
        assert got == targets


@pytest.mark.requirement("CAP-7e")
async def test_only_the_modes_of_the_descriptor_are_used() -> None:
    ran: list[str] = []
    described = action("video.count", "sdkHandler", "counts", executionModes=["semanticUi"])
    bundle = videos_bundle(actions=[described])
    async with videos_session(
        bundle, handlers=lambda _videos: {"counts": lambda: ran.append("ran")}
    ) as session:
        result = await session.act("video.count")
        assert result.error.code == "execution_mode_unavailable" and ran == []
    pressed = action("video.create", "externalDriver", "video.save", executionModes=["semanticUi"])
    async with videos_session(videos_bundle(actions=[pressed])) as session:
        result = await session.act("video.create", verification=VerificationSpec(policy="none"))
        assert result.chosen_execution_mode == "semanticUi" and session.videos.saved == [""]


@pytest.mark.requirement("CAP-7d")
async def test_an_element_without_the_required_affordance_is_refused_before_dispatch() -> None:
    pages = [Widget("price", "label", "Price"), Widget("row", "listitem", "Row")]
    async with labelled(pages) as session:
        for id, name in (("ui.activate", "Price"), ("ui.toggle", "Row")):
            role = "label" if name == "Price" else "listitem"
            result = await session.act(id, None, {"by": "semantic", "role": role, "name": name})
            assert result.error.code == "target_not_interactable", (id, result)
            needed = list(ACTIONS[id].affordances)
            assert result.error.detail["needed"] == needed, result
        assert session.videos.driver.performed == []


def labelled(widgets: list[Widget]) -> Any:
    class Labelled(Videos):
        def pages(self) -> tuple[ScriptedPage, ...]:
            scopes = [ScriptedScope("f", "form", "New video")]
            return (ScriptedPage(f"{ROOT}/videos/new", widgets, scopes=scopes), *super().pages()[1:])

    return videos_session(None, app=Labelled)


@pytest.mark.requirement("CAP-7f")
@pytest.mark.parametrize(
    ("idempotency", "at_once", "after_a_look"),
    [("idempotent", True, True), ("conditional", False, True), ("non_idempotent", False, False)],
)
async def test_each_idempotency_has_its_own_rule_for_a_retry(
    idempotency: str, at_once: bool, after_a_look: bool
) -> None:
    """The outcome is unknown. A look at an unchanged page shows only of a conditional action what a retry does."""
    async with videos_session(None) as session:
        runs: list[int] = []

        def silent() -> None:
            runs.append(1)

        made = descriptor("video.sync", "none", idempotency=idempotency)
        session.services.actions.app_actions.register("video.sync", silent, made)
        short = VerificationSpec(timeout_ms=100)
        first = await session.act("video.sync", verification=short)
        assert first.side_effect_state == "unknown" and len(runs) == 1
        again = await session.act("video.sync", verification=short)
        assert (again.error.code != "unsafe_retry_refused") is at_once and len(runs) == 1 + at_once
        session.services.page.tab().mark_reported()
        later = await session.act("video.sync", verification=short)
        assert (later.error.code != "unsafe_retry_refused") is after_a_look
        assert len(runs) == 1 + at_once + after_a_look


@pytest.mark.requirement("CAP-3c")
async def test_a_target_by_route_is_taken_by_every_action_that_lists_routes() -> None:
    async with videos_session(videos_bundle()) as session:
        register(session, "route")
        listed = await session.caller.call(
            "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
        )
        takers = [one.id for one in listed.document.actions if "route" in one.target_kinds]
        assert sorted(takers) == ["nav.navigate", "video.take"]
        for id in takers:
            done = await session.act(id, target={"by": "route", "value": "videos"})
            assert done.status == "succeeded", (id, done)
        assert session.services.page.tab().store.route.url == f"{ROOT}/videos"


@pytest.mark.requirement("CAP-3")
async def test_each_kind_of_reference_resolves() -> None:
    widgets = [
        Widget("save", "button", "Save", stable_id="video.save", record="video:7"),
        Widget("other", "button", "Other"),
    ]
    async with labelled(widgets) as session:
        references = [
            {"by": "stableId", "value": "video.save"},
            {"by": "semantic", "role": "button", "name": "Save"},
            {"by": "custom", "value": "entity:video:7"},
            {
                "by": "instanceId",
                "value": session.services.page.tab().store.by_stable_id("video.save")[0].instance_id,
            },
        ]
        for ref in references:
            done = await session.act("ui.focus", target=ref)
            assert done.status == "succeeded" and done.resolved_target.stable_id == "video.save", (ref, done)
        gone = await session.act("nav.navigate", target={"by": "route", "value": "/videos"})
        assert gone.status == "succeeded"
