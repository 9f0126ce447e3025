"""Adapters find elements for custom targets and for bindings; an unknown one is reported when a bundle is loaded."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.bundled_videos import SECTIONS, VideosSession, videos_bundle, videos_session
from uiap.spec.web import ElementNode

SAVES = {"saver": lambda _value, elements: [one.instance_id for one in elements if one.name == "Save"]}


def bound_by_adapter(id: str) -> Any:
    elements = [
        *SECTIONS["bindings"]["elements"],
        {"id": "by.adapter", "match": [{"by": "adapter", "id": id}]},
    ]
    return videos_bundle(bindings={**SECTIONS["bindings"], "elements": elements})


async def press(session: VideosSession, ref: dict[str, str]) -> Any:
    return await session.act("ui.activate", None, ref, timeout_ms=400)


@pytest.mark.requirement("CAP-3e")
async def test_a_custom_target_goes_to_its_adapter_and_an_unknown_one_is_not_found() -> None:
    asked: list[str] = []

    def saver(value: str, elements: Sequence[ElementNode]) -> list[str]:
        asked.append(value)
        return [one.instance_id for one in elements if one.name == "Save"]

    async with videos_session(None, adapters={"saver": saver}) as session:
        done = await press(session, {"by": "custom", "value": "saver:the green one"})
        assert done.status == "succeeded" and done.resolved_target.name == "Save", done
        assert set(asked) == {"the green one"} and session.videos.saved == [""]
        unknown = await press(session, {"by": "custom", "value": "nobody:x"})
        assert unknown.error.code == "target_not_found" and session.videos.saved == [""]


@pytest.mark.requirement("RUN-16")
async def test_a_matcher_by_adapter_asks_it_and_an_unknown_adapter_is_reported_at_load(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with videos_session(bound_by_adapter("saver"), adapters=SAVES) as session:
        done = await press(session, {"by": "stableId", "value": "by.adapter"})
        assert done.status == "succeeded" and session.videos.saved == [""], done
        assert not caplog.records
    with caplog.at_level(logging.WARNING):
        async with videos_session(bound_by_adapter("ghost"), adapters=SAVES) as session:
            assert "needs the adapter `ghost`" in caplog.text
            missed = await press(session, {"by": "stableId", "value": "by.adapter"})
            assert missed.error.code == "target_not_found"
