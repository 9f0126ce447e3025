"""Adapters find elements for custom targets and for bindings; an unknown one is reported when a bundle is loaded."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tests.support.bundled_videos import ROOT, SECTIONS, Videos, VideosSession, videos_bundle, videos_session
from uiap.drivers.scripted.app import ScriptedPage
from uiap.host.bundles.adapters import RouteProvider
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


def paged(ref: str) -> Any:
    """Return a bundle of an application that writes its routes as `?page=videos/7`."""
    app = {"appId": "videos", "displayName": "Videos", "routing": {"mode": "custom", "routeProviderRef": ref}}
    return videos_bundle(app=app)


def path_of(url: str) -> str:
    return "/" + url.rpartition("?page=")[2] if "?page=" in url else "/videos"


PROVIDER = RouteProvider(path=path_of, address=lambda path: f"/videos?page={path.strip('/')}")


class PagedVideos(Videos):
    """The application with all of its pages at one address."""

    def pages(self) -> tuple[ScriptedPage, ...]:
        detail = super().pages()[1]
        return (replace(detail, url=f"{ROOT}/videos?page=videos/7"), *super().pages())


@pytest.mark.requirement("RUN-32")
async def test_a_route_provider_reads_the_route_and_writes_its_address() -> None:
    async with videos_session(
        paged("pages"), adapters={"pages": PROVIDER}, app=PagedVideos, at="/videos"
    ) as session:
        store = session.services.page.tab()
        assert store.store.route.route_id == "videos"
        gone = await session.act("nav.navigate", {"url": "videos.detail", "params": {"id": "7"}})
        assert gone.status == "succeeded", gone
        route = session.services.page.tab().store.route
        assert (route.url, route.route_id) == (f"{ROOT}/videos?page=videos/7", "videos.detail")


@pytest.mark.requirement("RUN-32")
async def test_a_route_provider_that_nobody_registered_is_reported_at_load(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING):
        async with videos_session(paged("ghost")):
            assert "need the provider `ghost`" in caplog.text
