"""A bundle that a running session loads, replaces and unloads."""

from __future__ import annotations

import asyncio

import pytest
from msgspec import UNSET

from tests.support.bundled_videos import AGENT, VideosSession, videos_bundle, videos_session
from uiap.errors import UiapError
from uiap.host.bundles.bundle import BundleNotApplicable
from uiap.host.bundles.in_use import BundleInUse
from uiap.spec.action import ActionTarget
from uiap.spec.capability import StableIdRef
from uiap.spec.core import CapabilitiesListedPayload, CapabilitiesListPayload
from uiap.spec.workflow import WorkflowListedPayload, WorkflowListPayload

TITLE = {"by": "stableId", "value": "video.title"}
POLICY = {
    "id": "strict",
    "document": {
        "modelVersion": "0.1",
        "id": "strict",
        "defaults": {"onUnknownAction": "deny", "onUnknownTarget": "confirm"},
        "rules": [{"id": "no-text", "match": {"actions": ["ui.enterText"]}, "effect": "deny"}],
    },
}


async def _actions(one: VideosSession) -> set[str]:
    listed = await one.caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
    assert listed.document is not UNSET
    return {action.id for action in listed.document.actions}


async def _workflows(one: VideosSession) -> list[str]:
    found = await one.caller.call("uiap.workflow.list", WorkflowListPayload(), WorkflowListedPayload)
    return [workflow.id for workflow in found.workflows]


@pytest.mark.requirement("RUN-36")
async def test_a_loaded_bundle_works_at_once_and_an_unloaded_one_does_not() -> None:
    async with videos_session(None) as one:
        changes: asyncio.Queue[object] = asyncio.Queue()
        one.caller.listen("capabilities.changed", changes.put_nowait)
        assert "video.create" not in await _actions(one) and not await _workflows(one)
        assert (await one.act("ui.enterText", {"text": "Lamp"}, TITLE)).status == "failed"
        await one.services.use_bundle(videos_bundle())
        announced = await asyncio.wait_for(changes.get(), 2)
        assert "video.create" in announced.added_actions  # type: ignore[attr-defined]
        assert one.services.page.tab().store.route.route_id == "videos.new"
        assert (await one.act("video.create", {"title": "Lamp"})).status == "succeeded"
        assert one.videos.saved == ["Lamp"] and "video.make" in await _workflows(one)
        assert "video.create" in await _actions(one)
        await one.services.use_bundle(None)
        gone = await asyncio.wait_for(changes.get(), 2)
        assert "video.create" in gone.removed_actions  # type: ignore[attr-defined]
        assert one.services.page.tab().store.route.route_id is UNSET
        assert not await _workflows(one) and "video.create" not in await _actions(one)
        with pytest.raises(UiapError):
            await one.act("video.create", {"title": "Table"})


@pytest.mark.requirement("RUN-36")
async def test_the_policies_of_a_loaded_bundle_are_in_force_at_once_and_stay() -> None:
    async with videos_session(None, principal=AGENT, rules="standard") as one:
        await one.services.use_bundle(videos_bundle(policies=[POLICY]))
        assert [one.id for one in one.services.actions.policies.documents][-1] == "strict"
        count = len(one.services.actions.policies.documents)
        await one.services.use_bundle(videos_bundle(policies=[POLICY]))
        await one.services.use_bundle(None)
        assert len(one.services.actions.policies.documents) == count
        denied = await one.act("ui.enterText", {"text": "Lamp"}, {"by": "semantic", "role": "textbox"})
        assert denied.error is not UNSET and "strict/no-text" in denied.error.message


async def test_a_bundle_for_another_profile_is_refused_and_the_present_one_stays() -> None:
    async with videos_session(videos_bundle()) as one:
        with pytest.raises(BundleNotApplicable, match=r"android@0\.1"):
            await one.services.use_bundle(videos_bundle(profile="android@0.1"))
        assert (await one.act("video.create", {"title": "Lamp"})).status == "succeeded"


async def test_hints_are_those_of_the_binding_on_its_route() -> None:
    match = [{"by": "runtimeHint", "css": ".a > b", "xpath": "//b"}, {"by": "label", "text": "B"}]
    bindings = {
        "routes": [{"id": "new", "match": [{"kind": "path", "value": "/videos/new"}]}],
        "elements": [{"id": "b", "role": "button", "routeIds": ["new"], "match": match}],
    }
    knowledge = BundleInUse(videos_bundle(bindings=bindings, actions=[], workflows=[]))
    target = ActionTarget(ref=StableIdRef(value="b"))
    async with videos_session(None) as here, videos_session(None, at="/videos/7") as there:
        assert knowledge.hints(here.services.page.tab().store, target) == (
            ("css", ".a > b"),
            ("xpath", "//b"),
        )
        assert knowledge.hints(there.services.page.tab().store, target) == ()
        assert BundleInUse().hints(here.services.page.tab().store, target) == ()
