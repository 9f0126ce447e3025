"""The write log of the server: it has every executed change and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from apps.videoland import Server, Settings, serving
from tests.apps.videoland_people import effects, signed_in, truth, visitor, writes

Change = Callable[[httpx.Client, Server], httpx.Response]

# One request per kind of change, and the record that it must create.
CHANGES: dict[str, tuple[Change, str, str]] = {
    "video.created": (lambda c, s: c.post("/api/videos", data={"title": "New one"}), "data", "video:6"),
    "video.updated": (lambda c, s: c.patch("/api/videos/1", json={"title": "Other"}), "data", "video:1"),
    "video.published": (lambda c, s: c.post("/api/videos/2/publish"), "external", "video:2"),
    "video.deleted": (lambda c, s: c.delete("/api/videos/4"), "data", "video:4"),
    "invitation.sent": (
        lambda c, s: c.post("/api/invitations", json={"email": "a@b.example", "role": "viewer"}),
        "external",
        "invitation:3",
    ),
    "invitation.revoked": (lambda c, s: c.delete("/api/invitations/1"), "data", "invitation:1"),
    "profile.updated": (
        lambda c, s: c.put("/api/profile", json={"name": "Ada B.", "job": ""}),
        "data",
        "account:admin@videoland.example",
    ),
    "notification.updated": (
        lambda c, s: c.put("/api/notifications/weekly", json={"on": True}),
        "data",
        "notification:weekly",
    ),
    "password.changed": (
        lambda c, s: c.put("/api/password", json={"current": "videoland", "next": "videoland"}),
        "data",
        "account:admin@videoland.example",
    ),
    "studio.trimmed": (lambda c, s: c.post("/api/studio", json={"command": "trim"}), "data", "studio:trim"),
    "studio.captioned": (
        lambda c, s: c.post("/api/studio", json={"command": "caption"}),
        "data",
        "studio:caption",
    ),
    "studio.exported": (
        lambda c, s: c.post("/api/studio", json={"command": "export"}),
        "external",
        "studio:export",
    ),
    "billing.plan_changed": (
        lambda c, s: c.post(f"{s.billing_url}/plan", data={"plan": "starter"}),
        "data",
        "plan:starter",
    ),
    "account.deleted": (
        lambda c, s: c.delete("/api/account"),
        "data",
        "account:admin@videoland.example",
    ),
}


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Settings(rows=5, truth=True, auto_login=True)) as running:
        yield running


@pytest.fixture
def admin(server: Server) -> Iterator[httpx.Client]:
    with visitor(server) as stranger:
        stranger.post("/__reset")
    with signed_in(server) as client:
        yield client


@pytest.mark.parametrize("effect", CHANGES)
def test_a_change_is_logged_once(server: Server, admin: httpx.Client, effect: str) -> None:
    change, kind, entity = CHANGES[effect]
    answer = change(admin, server)
    assert answer.is_success, answer.text
    (record,) = [one for one in writes(admin) if one["kind"] != "session"]
    assert (record["effect"], record["kind"], record["entity"]) == (effect, kind, entity)
    assert (record["method"], record["path"]) == (answer.request.method, answer.request.url.path)
    assert record["at"]


def test_a_refused_change_is_not_logged(server: Server, admin: httpx.Client) -> None:
    refused = [
        admin.post("/api/videos", data={"title": ""}),
        admin.patch("/api/videos/99", json={"title": "Other"}),
        admin.post("/api/videos/99/publish"),
        admin.delete("/api/videos/99"),
        admin.delete("/api/invitations/99"),
        admin.post("/api/invitations", json={}),
        admin.put("/api/profile", json={"name": ""}),
        admin.put("/api/notifications/unknown", json={"on": True}),
        admin.put("/api/notifications/weekly", content=b"not json"),
        admin.put("/api/password", json={}),
        admin.post("/api/studio", json={"command": "explode"}),
        admin.post(f"{server.billing_url}/plan", data={"plan": "free"}),
        admin.post(f"{server.billing_url}/pay", data={"card": "123"}),
        admin.post("/api/nothing"),
    ]
    assert all(answer.is_client_error for answer in refused), [one.status_code for one in refused]
    assert effects(admin) == []


def test_sessions_are_logged_separately_from_data(admin: httpx.Client) -> None:
    admin.delete("/api/session")
    assert [(one["effect"], one["kind"]) for one in writes(admin)] == [
        ("session.opened", "session"),
        ("session.closed", "session"),
    ]
    assert effects(admin) == []


def test_no_get_writes(server: Server, admin: httpx.Client) -> None:
    before = snapshot(admin)
    for path in ("/", "/videos?as=admin&lang=de", "/videos/1", "/studio", "/team", "/billing", "/settings"):
        assert admin.get(path).status_code == 200
    for path in ("/api/dashboard", "/api/videos", "/api/videos/1", "/api/videos/window", "/api/team"):
        assert admin.get(path).status_code == 200
    for path in ("/api/profile", "/api/pulse", "/sitemap.xml", f"{server.billing_url}/"):
        assert admin.get(path).status_code == 200
    for path in ("/api/videos/1/publish", "/api/invitations", "/api/password", "/api/account", "/api/studio"):
        assert admin.get(path).is_client_error, "an address that changes data has no GET"
    for path in (f"{server.billing_url}/pay", f"{server.billing_url}/plan"):
        assert admin.get(path).is_client_error
    assert snapshot(admin) == before


def test_reset_restores_the_initial_state_and_keeps_the_session(admin: httpx.Client) -> None:
    admin.post("/__reset")
    before = snapshot(admin)
    admin.delete("/api/videos/1")
    admin.post("/api/videos", data={"title": "New one"})
    assert snapshot(admin) != before
    admin.post("/__reset")
    assert snapshot(admin) == before
    assert admin.get("/api/profile").status_code == 200


def test_paying_is_an_external_effect_and_is_counted(server: Server, admin: httpx.Client) -> None:
    admin.post(f"{server.billing_url}/pay", data={"card": "0000 0000 0000 0000"})
    assert truth(admin)["billing"] == {"plan": "team", "paid": 1}
    assert [one["kind"] for one in writes(admin) if one["effect"] == "billing.paid"] == ["external"]


def test_a_given_database_file_keeps_the_changes(tmp_path: Path) -> None:
    settings = Settings(rows=3, db=str(tmp_path / "videoland.sqlite3"), truth=True)
    with serving(settings) as first, signed_in(first) as client:
        client.delete("/api/videos/2")
    with serving(settings) as second, visitor(second) as client:
        assert truth(client)["videos"] == 2
        assert effects(client) == ["video.deleted"]


def snapshot(client: httpx.Client) -> tuple[Any, Any]:
    return truth(client), writes(client)
