"""Videos: the server lists, accepts, refuses and changes them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from apps.videoland import Settings, serving
from tests.apps.videoland_people import effects, signed_in, truth

ROWS = 10_000


@pytest.fixture(scope="module")
def many() -> Iterator[httpx.Client]:
    with serving(Settings(rows=ROWS)) as server, signed_in(server) as client:
        yield client


@pytest.fixture(scope="module")
def running() -> Iterator[httpx.Client]:
    with serving(Settings(rows=10, truth=True)) as server, signed_in(server) as client:
        yield client


@pytest.fixture
def admin(running: httpx.Client) -> httpx.Client:
    running.post("/__reset")
    return running


def listed(client: httpx.Client, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/videos", params=query).json()
    return found


def test_pages_of_ten_thousand_rows_hold_each_row_once(many: httpx.Client) -> None:
    first = listed(many)
    assert (first["total"], first["pages"], len(first["items"])) == (ROWS, 400, 25)
    ids = [row["id"] for page in range(1, 21) for row in listed(many, page=page, size=500)["items"]]
    assert len(ids) == ROWS
    assert set(ids) == set(range(1, ROWS + 1))


@pytest.mark.parametrize(
    ("requested", "expected"), [("0", 1), ("-3", 1), ("401", 400), ("x", 1), ("400", 400)]
)
def test_a_page_out_of_range_shows_the_nearest_one(many: httpx.Client, requested: str, expected: int) -> None:
    assert listed(many, page=requested)["page"] == expected


def test_one_page_can_hold_all_rows(many: httpx.Client) -> None:
    assert len(listed(many, size=ROWS)["items"]) == ROWS


def test_windows_are_contiguous(many: httpx.Client) -> None:
    window = many.get("/api/videos/window", params={"offset": 4990, "limit": 20}).json()
    assert [row["id"] for row in window["items"]] == list(range(4991, 5011))
    assert window["total"] == ROWS


def test_search_filter_and_order_agree_with_the_rows(many: httpx.Client) -> None:
    found = listed(many, q="roadmap", status="draft", sort="views", size=ROWS)
    assert found["total"] == len(found["items"]) > 100
    assert {row["status"] for row in found["items"]} == {"draft"}
    assert all("Roadmap" in row["title"] for row in found["items"])
    views = [row["views"] for row in found["items"]]
    assert views == sorted(views, reverse=True)
    assert listed(many, q="100%_")["total"] == 0, "wildcards are plain text"


def test_seed_rows_are_the_same_every_time(many: httpx.Client) -> None:
    with serving(Settings(rows=ROWS)) as server, signed_in(server) as client:
        assert listed(client, size=ROWS) == listed(many, size=ROWS)


def test_a_valid_form_creates_exactly_one_row(admin: httpx.Client) -> None:
    form = {
        "title": "  First video ", "description": "d", "category": "demo", "use_case": "sales", "visibility": "team",
        "subtitles": "true", "notify": "false", "quality": "85", "volume": "33", "duration": "12",
        "release_date": "2026-04-01", "release_time": "09:30",
    }  # fmt: skip
    answer = admin.post("/api/videos", data=form, files={"file": ("clip.mp4", b"12345", "video/mp4")})
    assert answer.status_code == 201
    known = truth(admin)
    assert known["videos"] == 11
    made = known["lastCreated"]
    assert made["id"] == answer.json()["id"]
    expected = form | {
        "title": "First video", "subtitles": 1, "notify": 0, "quality": 85, "volume": 33, "duration": 12,
        "file_name": "clip.mp4", "file_size": 5, "status": "draft", "views": 0,
    }  # fmt: skip
    assert {name: made[name] for name in expected} == expected
    assert effects(admin) == ["video.created"]


def test_a_title_alone_is_enough(admin: httpx.Client) -> None:
    assert admin.post("/api/videos", data={"title": "Only a title"}).status_code == 201


@pytest.mark.parametrize(
    ("field", "value", "code"),
    [
        ("title", "", "required"),
        ("title", "   ", "required"),
        ("title", "ab", "too_short"),
        ("title", "x" * 81, "too_long"),
        ("description", "x" * 501, "too_long"),
        ("category", "nonsense", "unknown_option"),
        ("use_case", "nonsense", "unknown_option"),
        ("visibility", "secret", "unknown_option"),
        ("quality", "101", "out_of_range"),
        ("volume", "-1", "out_of_range"),
        ("duration", "0", "out_of_range"),
        ("duration", "", "required"),
        ("duration", "ten", "not_a_number"),
        ("release_date", "2026-02-30", "not_a_date"),
        ("release_time", "24:00", "not_a_time"),
    ],
)
def test_an_invalid_form_names_the_field_and_creates_nothing(
    admin: httpx.Client, field: str, value: str, code: str
) -> None:
    answer = admin.post("/api/videos", data={"title": "Fine", field: value})
    assert answer.status_code == 422
    assert answer.json()["errors"] == {field: code}
    assert truth(admin)["videos"] == 10
    assert effects(admin) == []


def test_a_file_over_the_limit_is_refused(admin: httpx.Client) -> None:
    answer = admin.post("/api/videos", data={"title": "Large"}, files={"file": ("l.mp4", b"0" * 5_000_001)})
    assert answer.json()["errors"] == {"file": "too_large"}
    assert effects(admin) == []


def test_change_publish_and_delete_have_their_effect_once(admin: httpx.Client) -> None:
    assert admin.patch("/api/videos/2", json={"title": "Renamed"}).json()["title"] == "Renamed"
    assert admin.post("/api/videos/2/publish").json()["status"] == "published"
    assert admin.post("/api/videos/2/publish").status_code == 409
    assert admin.delete("/api/videos/2").status_code == 204
    assert admin.delete("/api/videos/2").status_code == 404
    assert admin.get("/api/videos/2").status_code == 404
    known = truth(admin)
    assert (known["updated"], known["published"], known["deleted"]) == (["video:2"], ["video:2"], ["video:2"])
    assert effects(admin) == ["video.updated", "video.published", "video.deleted"]


def test_a_deleted_id_is_never_reused(admin: httpx.Client) -> None:
    first = admin.post("/api/videos", data={"title": "First"}).json()["id"]
    admin.delete(f"/api/videos/{first}")
    assert admin.post("/api/videos", data={"title": "Second"}).json()["id"] == first + 1


def test_invitations_are_sent_once_and_withdrawn(admin: httpx.Client) -> None:
    sent = admin.post("/api/invitations", json={"email": "New@Team.example", "role": "viewer"})
    assert sent.json() == {"id": 3, "email": "new@team.example", "role": "viewer"}
    again = admin.post("/api/invitations", json={"email": "new@team.example", "role": "viewer"})
    assert again.json()["errors"] == {"email": "already_invited"}
    bad = admin.post("/api/invitations", json={"email": "new", "role": "owner"})
    assert bad.json()["errors"] == {"email": "not_an_email", "role": "unknown_option"}
    assert len(admin.get("/api/team").json()["invitations"]) == 3
    assert admin.delete("/api/invitations/3").status_code == 204
    assert effects(admin) == ["invitation.sent", "invitation.revoked"]
    assert truth(admin)["invitationsSent"] == 1
