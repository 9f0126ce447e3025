"""The capability document while the application changes what it offers."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.bundled_videos import videos_bundle, videos_session
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
