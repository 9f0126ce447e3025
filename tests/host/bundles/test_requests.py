"""Navigation by route and by link, with the bundle of the application, on its pages without annotations."""

from __future__ import annotations

import pytest

from tests.support.bundled_videos import VideosSession, videos_bundle, videos_session
from uiap.errors import UiapError
from uiap.spec.action import ActionResultPayload, VerificationSpec


def route(id: str) -> dict[str, str]:
    return {"by": "route", "value": id}


def place(session: VideosSession) -> tuple[str, object]:
    shown = session.services.page.tab().store.route
    return shown.url.removeprefix("http://videos.test"), shown.route_id


@pytest.mark.requirement("RUN-9", "RUN-7", "RUN-10", "ACT-9.4b")
async def test_a_route_id_leads_to_its_address_and_its_signals_verify_the_arrival() -> None:
    async with videos_session(videos_bundle()) as session:
        assert place(session) == ("/videos/new", "videos.new")
        result = await session.act("nav.navigate", {"params": {"id": "7"}}, route("videos.detail"))
        assert result.status == "succeeded", result
        assert place(session) == ("/videos/7", "videos.detail")
        assert [one.kind for one in result.verification.observed] == ["element.appeared"]


@pytest.mark.requirement("RUN-9", "RUN-38")
async def test_a_route_id_is_taken_in_place_of_a_url_too() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("nav.navigate", {"url": "videos.detail", "params": {"id": "7"}})
        assert result.status == "succeeded" and place(session) == ("/videos/7", "videos.detail"), result
        with pytest.raises(UiapError, match="needs params: id"):
            await session.act("nav.navigate", {"url": "videos.detail"})


@pytest.mark.requirement("RUN-38")
async def test_a_route_whose_id_is_its_pattern_leads_to_the_address_with_its_parameters() -> None:
    """Discovery names a route after its addresses."""
    found = {"id": "/videos/:id", "match": [{"kind": "urlPattern", "value": "/videos/:id"}]}
    async with videos_session(videos_bundle(bindings={"routes": [found]})) as session:
        for members in (
            {"args": {"params": {"id": "7"}}, "target": route("/videos/:id")},
            {"args": {"url": "/videos/:id", "params": {"id": "8"}}},
        ):
            result = await session.act("nav.navigate", **members)
            assert result.status == "succeeded", result
            assert place(session) == (f"/videos/{members['args']['params']['id']}", "/videos/:id")


async def arrive_at_the_empty_page(session: VideosSession, **members: object) -> ActionResultPayload:
    spec = VerificationSpec(timeout_ms=300)
    return await session.act("nav.navigate", verification=spec, **members)


@pytest.mark.requirement("RUN-10")
async def test_an_arrival_without_the_signals_of_the_route_is_not_reported_as_success() -> None:
    async with videos_session(videos_bundle()) as session:
        by_route = await arrive_at_the_empty_page(
            session, args={"params": {"id": "8"}}, target=route("videos.detail")
        )
        assert by_route.status == "failed" and by_route.error.code == "verification_failed", by_route
        by_url = await arrive_at_the_empty_page(session, args={"url": "/videos/8"})
        assert by_url.status == "failed", "the same page by its address"


@pytest.mark.requirement("ACT-9.4b")
async def test_a_link_on_the_page_names_an_address_too() -> None:
    async with videos_session(videos_bundle(), at="/videos/7") as session:
        link = {"by": "semantic", "role": "link", "name": "All videos"}
        result = await session.act("nav.navigate", target=link)
        assert result.status == "succeeded" and place(session) == ("/videos", "videos"), result


@pytest.mark.requirement("ACT-9.4c")
@pytest.mark.parametrize(
    ("target", "why"),
    [
        (route("nowhere"), "no route of the bundle"),
        (route("videos.detail"), "needs params: id"),
        ({"by": "semantic", "role": "button", "name": "Help"}, "0 addresses"),
    ],
)
async def test_a_target_without_an_address_is_refused_with_the_reason(target: object, why: str) -> None:
    async with videos_session(videos_bundle()) as session:
        with pytest.raises(UiapError, match=why):
            await session.act("nav.navigate", target=target)
        assert place(session)[0] == "/videos/new"


async def test_without_a_bundle_a_route_is_a_path_of_the_application() -> None:
    async with videos_session(None) as session:
        assert (await session.act("nav.navigate", target=route("/videos/7"))).status == "succeeded"
        with pytest.raises(UiapError, match="no bundle is open"):
            await session.act("nav.navigate", target=route("videos.detail"))
