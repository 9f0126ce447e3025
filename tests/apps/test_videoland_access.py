"""Access to Videoland, and the rights of each role."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from apps.videoland import Server, Settings, serving
from tests.apps.videoland_people import effects, signed_in, truth, visitor

PAGES = (
    "/",
    "/videos",
    "/videos/new",
    "/videos/virtual",
    "/videos/1",
    "/studio",
    "/team",
    "/billing",
    "/settings",
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Settings(rows=30, truth=True)) as running:
        yield running


@pytest.fixture
def admin(server: Server) -> Iterator[httpx.Client]:
    with visitor(server) as stranger:
        stranger.post("/__reset")
    with signed_in(server) as client:
        yield client


def test_an_anonymous_visitor_is_redirected_to_the_login_and_back(server: Server) -> None:
    with visitor(server) as client:
        for page in PAGES:
            answer = client.get(page)
            assert answer.status_code == 303
            assert answer.headers["location"].startswith("/login?next=")
        assert client.get("/videos?page=2").headers["location"] == "/login?next=%2Fvideos%3Fpage%3D2"
        assert client.get("/login").status_code == 200


def test_an_anonymous_visitor_can_neither_read_nor_change_data(server: Server, admin: httpx.Client) -> None:
    with visitor(server) as client:
        for path in ("/api/videos", "/api/dashboard", "/api/team", "/api/profile", "/api/videos/1"):
            assert client.get(path).status_code == 401
        assert client.post("/api/videos", data={"title": "Nobody"}).status_code == 401
        assert client.delete("/api/videos/1").status_code == 401
    assert effects(admin) == []


def test_every_page_loads_directly_once_signed_in(admin: httpx.Client) -> None:
    assert {page: admin.get(page).status_code for page in PAGES} == dict.fromkeys(PAGES, 200)
    assert admin.get("/no/such/page").status_code == 404


@pytest.mark.parametrize("password", ["", "wrong", "videoland "])
def test_a_wrong_password_is_refused(server: Server, password: str) -> None:
    with visitor(server) as client:
        answer = client.post("/api/session", json={"email": "admin@videoland.example", "password": password})
        assert answer.status_code == 401
        assert "set-cookie" not in answer.headers
        assert client.get("/api/profile").status_code == 401


def test_a_forged_cookie_is_anonymous(server: Server, admin: httpx.Client) -> None:
    (name, value), *_ = admin.cookies.items()
    viewer = b"viewer@videoland.example".hex()
    for forged in ("", "x", "zz.00", f"{viewer}.{value.partition('.')[2]}", value[:-1]):
        with visitor(server) as client:
            client.cookies.set(name, forged)
            assert client.get("/api/profile").status_code == 401


def test_a_viewer_reads_but_every_change_is_refused(server: Server, admin: httpx.Client) -> None:
    with signed_in(server, "viewer") as viewer:
        assert viewer.get("/api/videos").status_code == 200
        refused = [
            viewer.post("/api/videos", data={"title": "Mine"}),
            viewer.patch("/api/videos/1", json={"title": "Mine"}),
            viewer.post("/api/videos/1/publish"),
            viewer.delete("/api/videos/1"),
            viewer.post("/api/invitations", json={"email": "a@b.example", "role": "viewer"}),
            viewer.delete("/api/invitations/1"),
            viewer.delete("/api/account"),
            viewer.post("/api/studio", json={"command": "trim"}),
        ]
        assert [answer.status_code for answer in refused] == [403] * len(refused)
    assert effects(admin) == []


def test_signing_out_ends_the_session(admin: httpx.Client) -> None:
    assert admin.delete("/api/session").status_code == 204
    assert admin.get("/api/profile").status_code == 401


def test_a_changed_password_replaces_the_old_one(server: Server, admin: httpx.Client) -> None:
    wrong = admin.put("/api/password", json={"current": "nope", "next": "short"})
    assert wrong.status_code == 422
    assert wrong.json()["errors"] == {"current": "wrong_password", "next": "password_too_short"}
    assert admin.put("/api/password", json={"current": "videoland", "next": "longer-one"}).status_code == 204
    with visitor(server) as client:
        old = client.post("/api/session", json={"email": "admin@videoland.example", "password": "videoland"})
        assert old.status_code == 401
    with signed_in(server, password="longer-one") as client:
        assert client.get("/api/profile").status_code == 200
    assert truth(admin)["passwordChanges"] == 1


def test_a_deleted_account_is_signed_out_and_cannot_return(server: Server, admin: httpx.Client) -> None:
    assert admin.delete("/api/account").status_code == 204
    assert [one["deleted"] for one in truth(admin)["accounts"]] == [1, 0]
    with visitor(server) as client:
        answer = client.post(
            "/api/session", json={"email": "admin@videoland.example", "password": "videoland"}
        )
        assert answer.status_code == 401
    assert admin.get("/").status_code == 303


def test_automatic_login_works_only_when_enabled(server: Server) -> None:
    with visitor(server) as client:
        assert client.get("/videos?as=admin").status_code == 303
    with serving(Settings(rows=1, auto_login=True)) as open_server, visitor(open_server) as client:
        assert client.get("/videos?as=viewer").status_code == 200
        assert client.get("/api/profile").json()["role"] == "viewer"
        assert client.get("/videos?as=nobody").status_code == 200, "the session stays who it was"


def test_two_videolands_in_one_browser_do_not_share_a_session(admin: httpx.Client) -> None:
    with serving(Settings(rows=1)) as other:
        assert admin.get(f"{other.url}/api/profile").status_code == 401


def test_truth_and_knobs_are_absent_unless_enabled() -> None:
    with serving(Settings(rows=1, allow_knobs=False)) as bare, signed_in(bare) as client:
        for path in ("/__truth", "/__writes", "/__knobs"):
            assert client.get(path).status_code == 404
        assert client.post("/__reset").status_code in (404, 405)
        assert client.post("/__knobs", json={"fail_next": 1}).status_code in (404, 405)
        assert client.get("/api/videos", headers={"X-Knobs": "nonsense"}).status_code == 200
