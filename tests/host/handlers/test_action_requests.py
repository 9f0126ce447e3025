"""Actions of a bundle, carried out by what the bundle names: an element with its fields, a function, or nothing."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from tests.support.bundled_videos import AGENT, Videos, action, videos_bundle, videos_session
from uiap.errors import UiapError
from uiap.spec.action import VerificationSpec


@pytest.mark.requirement("RUN-23")
async def test_an_action_fills_in_the_fields_of_its_arguments_and_presses_its_element() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("video.create", {"title": "Blue lamp"})
        assert result.status == "succeeded", result
        assert session.videos.saved == ["Blue lamp"]
        assert result.action_id == "video.create" and result.resolved_target.stable_id == "video.save"
        assert [one.kind for one in result.verification.observed] == ["toast.contains"]  # type: ignore[union-attr]


@pytest.mark.requirement("RUN-25")
async def test_the_success_signals_of_the_bundle_decide_whether_it_worked() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act(
            "video.create", {"title": "ab"}, verification=VerificationSpec(timeout_ms=300)
        )
        assert result.status == "failed" and result.error.code == "verification_failed", result
        assert session.videos.saved == ["ab"]


@pytest.mark.requirement("RUN-25")
async def test_arguments_are_checked_against_the_description_of_the_bundle() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("video.create", {})
        assert result.status == "failed" and result.error.code == "action_unsupported", result
        assert session.videos.saved == []


async def test_a_field_that_cannot_be_filled_in_ends_the_action_before_it_presses() -> None:
    async with videos_session(videos_bundle(), at="/videos/7") as session:
        result = await session.act("video.create", {"title": "Blue lamp"}, timeout_ms=400)
        assert result.status == "failed" and "video.title" in result.error.message, result
        assert result.side_effect_state == "none" and session.videos.saved == []


async def test_a_target_other_than_the_element_of_the_action_is_refused() -> None:
    async with videos_session(videos_bundle()) as session:
        help = {"by": "semantic", "role": "button", "name": "Help"}
        result = await session.act("video.create", {"title": "Blue lamp"}, help)
        assert result.status == "failed" and result.error.code == "action_unsupported"
        assert session.videos.saved == []


def functions(videos: Videos) -> dict[str, Any]:
    async def count(title: str) -> dict[str, int]:
        return await videos.on_page(lambda app: app.toast(f"{title} created"))

    async def remove() -> dict[str, int]:
        return await videos.on_page(videos.remove)

    return {"counts": count, "removes": remove}


BY_FUNCTION = [
    action(
        "video.count",
        "sdkHandler",
        "counts",
        success=[{"kind": "toast.contains", "text": "created"}],
        args=[{"name": "title", "type": "string", "required": True}],
    ),
    action("video.remove", "sdkHandler", "removes", success=[{"kind": "toast.contains", "text": "removed"}]),
]


@pytest.mark.requirement("RUN-21")
async def test_a_handler_that_is_registered_under_its_ref_runs() -> None:
    async with videos_session(videos_bundle(actions=BY_FUNCTION), handlers=functions) as session:
        result = await session.act("video.count", {"title": "Lamp"})
        assert result.status == "succeeded", result
        assert result.chosen_execution_mode == "appAction" and result.return_value == {
            "removed": 0,
            "saved": 0,
        }


@pytest.mark.requirement("RUN-21")
async def test_without_a_handler_the_action_is_refused_and_offers_no_app_action() -> None:
    async with videos_session(videos_bundle(actions=BY_FUNCTION)) as session:
        with pytest.raises(UiapError, match="no function `counts` is registered"):
            await session.act("video.count", {"title": "Lamp"})
        offered = {one.id: one for one in await session.services.actions.app_actions.descriptors()}
        assert offered["video.count"].execution_modes == ()
        assert offered["video.remove"].execution_modes == ("semanticUi", "externalDriver")


@pytest.mark.requirement("RUN-24")
async def test_an_action_without_an_implementation_is_declared_and_cannot_run() -> None:
    async with videos_session(videos_bundle()) as session:
        with pytest.raises(UiapError, match="only described"):
            await session.act("video.later")
        offered = {one.id: one for one in await session.services.actions.app_actions.descriptors()}
        assert offered["video.later"].execution_modes == ()


@pytest.mark.requirement("RUN-22")
async def test_a_server_action_is_unavailable_where_no_page_can_call_the_server() -> None:
    async with videos_session(videos_bundle()) as session:
        result = await session.act("video.remote", {"title": "Lamp"})
        assert result.status == "failed" and result.error.code == "execution_mode_unavailable", result


@pytest.mark.requirement("RUN-26", "ACT-10.1b")
@pytest.mark.requirement("ACT-11.4")
async def test_a_press_runs_the_default_action_of_the_element_where_a_function_is_registered() -> None:
    delete = {"by": "semantic", "role": "button", "name": "Delete"}
    bundle = videos_bundle(actions=BY_FUNCTION)
    async with videos_session(bundle, at="/videos/7", handlers=functions) as session:
        result = await session.act("ui.activate", target=delete)
        assert result.status == "succeeded" and session.videos.removed == 1, result
        assert (result.action_id, result.chosen_execution_mode) == ("video.remove", "appAction")
        assert session.videos.driver.performed == []
    async with videos_session(bundle, at="/videos/7") as session:
        result = await session.act("ui.activate", target=delete)
        assert result.status == "succeeded" and result.chosen_execution_mode == "externalDriver", result


@pytest.mark.requirement("RUN-25")
@pytest.mark.parametrize(("signed", "asked"), [(True, False), (False, True)])
async def test_only_a_signed_bundle_declares_a_function_safe(signed: bool, asked: bool) -> None:
    bundle = videos_bundle(signed=signed, actions=BY_FUNCTION)
    async with videos_session(bundle, handlers=functions, principal=AGENT, rules="standard") as session:
        declared = await session.services.actions.app_actions._implementation(bundle.actions["video.count"])
        assert not isinstance(declared, str)
        assert (declared.descriptor.risk.level == "confirm") is asked and declared.vouched is signed


async def test_a_page_outside_the_origins_of_the_bundle_has_none_of_its_actions() -> None:
    async with videos_session(videos_bundle()) as session:
        assert (await session.act("nav.navigate", {"url": "http://other.test/"})).status == "succeeded"
        with pytest.raises(UiapError, match="is not an action here"):
            await session.act("video.create", {"title": "Blue lamp"})
        assert session.services.page.tab().store.route.route_id is UNSET
