"""The capability document while the application changes what it offers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.bundled_videos import Videos, videos_bundle, videos_session
from uiap.drivers.android.driver import ANDROID_FACTS
from uiap.drivers.desktop.driver import DESKTOP_FACTS
from uiap.drivers.driver import DriverFacts
from uiap.drivers.scripted.app import Widget
from uiap.host.sessions.session_services import driver_capabilities
from uiap.spec.capability import UI_ROLES, CapabilityDocument
from uiap.spec.core import CapabilitiesChangedPayload, CapabilitiesListedPayload, CapabilitiesListPayload


@pytest.mark.requirement("CAP-10d")
async def test_a_registered_and_a_removed_action_change_the_document_and_are_announced() -> None:
    async with videos_session(videos_bundle()) as session:
        changes: asyncio.Queue[CapabilitiesChangedPayload] = asyncio.Queue()
        session.caller.listen("capabilities.changed", changes.put_nowait)
        first = await session.caller.call(
            "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
        )
        apps = session.services.actions.app_actions
        async with asyncio.timeout(10):
            apps.register("note.add", lambda: None)
            added = await changes.get()
            assert added.added_actions == ("note.add",) and added.revision != first.revision
            apps.unregister("note.add")
            removed = await changes.get()
            assert removed.removed_actions == ("note.add",) and removed.revision == first.revision


@pytest.mark.requirement("CAP-10d")
async def test_leaving_the_origins_of_a_bundle_takes_its_actions_away_and_is_announced() -> None:
    async with videos_session(videos_bundle()) as session:
        changes: asyncio.Queue[CapabilitiesChangedPayload] = asyncio.Queue()
        session.caller.listen("capabilities.changed", changes.put_nowait)
        await session.caller.call("capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload)
        assert (await session.act("nav.navigate", {"url": "http://other.test/"})).status == "succeeded"
        async with asyncio.timeout(10):
            left = await changes.get()
        assert "video.create" in (left.removed_actions or ())


async def document_of(session: Any) -> CapabilitiesListedPayload:
    listed: CapabilitiesListedPayload = await session.caller.call(
        "capabilities.list", CapabilitiesListPayload(), CapabilitiesListedPayload
    )
    return listed


@pytest.mark.requirement("CAP-2.2b", "CAP-10c")
@pytest.mark.parametrize(
    ("facts", "profile", "absent"),
    [
        (
            DESKTOP_FACTS,
            "x.uiap.desktop@0.1",
            {"route", "hovered", "drop", "nav.navigate", "network.response"},
        ),
        (ANDROID_FACTS, "x.uiap.android@0.1", {"route", "invalid", "resize", "ui.hover", "validation.none"}),
    ],
)
def test_each_surface_declares_its_own_profile_and_only_its_own_words(
    facts: DriverFacts, profile: str, absent: set[str]
) -> None:
    driver = Videos().driver
    web = _words(driver_capabilities(driver))
    driver.facts = facts
    document = driver_capabilities(driver)
    assert document.profile == profile and document.model_version == "0.1"
    assert absent <= web and not absent & _words(document)
    assert set(document.roles) == set(facts.vocabulary.roles) < set(UI_ROLES)


def _words(document: CapabilityDocument) -> set[str]:
    lists = (document.roles, document.state_keys, document.affordances, document.success_signal_kinds)
    return {word for words in lists for word in words} | {one.id for one in document.actions}


@pytest.mark.requirement("CAP-2.3", "CAP-10")
async def test_two_sessions_on_an_unchanged_app_get_the_same_document() -> None:
    found = []
    for _ in range(2):
        async with videos_session(videos_bundle()) as session:
            found.append(await document_of(session))
    assert found[0] == found[1] and found[0].revision
    document = found[0].document
    assert document and document.risk_levels and document.state_keys and document.affordances
    used = {signal.kind for action in document.actions for signal in action.success or ()}
    assert used and used <= set(document.success_signal_kinds)


@pytest.mark.requirement("CAP-2.2c")
async def test_a_role_that_a_page_begins_to_show_is_declared_and_announced() -> None:
    async with videos_session(None) as session:
        changes: asyncio.Queue[CapabilitiesChangedPayload] = asyncio.Queue()
        session.caller.listen("capabilities.changed", changes.put_nowait)
        await document_of(session)
        card = Widget(
            "card", "custom", "Card", node_fields={"custom_role": "x.shop.card", "default_action": "shop.buy"}
        )
        session.videos.driver.change(lambda app: app.add(card))
        async with asyncio.timeout(10):
            changed = await changes.get()
        assert changed.added_actions == ("shop.buy",)
        document = (await document_of(session)).document
        assert document and "x.shop.card" in document.roles
