"""Calls of an endpoint of the application from its own page, with the session that the page has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import uiap
from apps.videoland import Settings, serving
from tests.support.bundled_videos import action, videos_bundle
from uiap.drivers.chromium.input.endpoint_call import endpoint_request

REQUESTS = [
    ("POST /api/videos", {"title": "A"}, ("POST", "/api/videos", '{"title": "A"}')),
    ("PUT /api/videos/{id}", {"id": "a/b c", "n": 1}, ("PUT", "/api/videos/a%2Fb%20c", '{"n": 1}')),
    ("GET /api/videos", {"q": "a b"}, ("GET", "/api/videos?q=a+b", "")),
    ("DELETE /api/videos/{id}", {"id": 7}, ("DELETE", "/api/videos/7", "")),
]


@pytest.mark.parametrize(("endpoint", "args", "made"), REQUESTS)
def test_arguments_fill_the_path_and_the_rest_is_body_or_query(
    endpoint: str, args: dict[str, Any], made: tuple[str, str, str]
) -> None:
    assert endpoint_request(endpoint, args) == made


@pytest.mark.parametrize("id", ["..", ".", "", "..."])
def test_an_argument_cannot_lead_to_another_endpoint(id: str) -> None:
    with pytest.raises(ValueError, match="`id` cannot be"):
        endpoint_request("POST /api/videos/{id}/publish", {"id": id})


RESPONDED = {"kind": "network.response", "urlPattern": "**/api/invitations", "status": 201}
ADDRESS = [{"name": "email", "type": "string", "required": True}, {"name": "role", "type": "string"}]
ACTIONS = [
    action("team.invite", "serverAction", "POST /api/invitations", args=ADDRESS, success=[RESPONDED]),
    action("team.lose", "serverAction", "POST /api/nowhere", success=[RESPONDED]),
]


@pytest.mark.browser
@pytest.mark.requirement("RUN-22")
async def test_a_server_action_calls_its_endpoint_with_the_session_of_the_page() -> None:
    with serving(Settings(rows=2, truth=True, auto_login=True)) as server:
        bundle = replace(videos_bundle(actions=ACTIONS), origins=(server.url,))
        async with uiap.open(f"{server.url}/team?as=admin&lang=en", bundle=bundle) as ui:
            invited = await ui.act("team.invite", args={"email": "new@videos.test", "role": "viewer"})
            assert invited.ok, invited.payload
            assert invited.payload.chosen_execution_mode == "appAction"
            lost = await ui.act("team.lose")
            assert not lost.ok and lost.error is not None and "404" in lost.error.message, lost.payload
            truth = await ui.evaluate("fetch('/__truth').then((answer) => answer.json())")
        assert "new@videos.test" in [one["email"] for one in truth["invitations"]]
