"""Each knob has its effect, the same way every time, and none when it is off."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from apps.videoland import Settings, serving
from apps.videoland.knobs import BadKnob, Knobs, parse
from tests.apps.videoland_people import effects, signed_in, truth


@pytest.fixture(scope="module")
def running() -> Iterator[httpx.Client]:
    with serving(Settings(rows=20, truth=True)) as server, signed_in(server) as client:
        yield client


@pytest.fixture
def admin(running: httpx.Client) -> httpx.Client:
    running.post("/__reset")
    return running


def turn(client: httpx.Client, **knobs: Any) -> None:
    assert client.post("/__knobs", json=knobs).status_code == 200


def create(client: httpx.Client, **headers: str) -> int:
    return client.post("/api/videos", data={"title": "From a test"}, headers=headers).status_code


def took(client: httpx.Client, path: str) -> float:
    start = time.perf_counter()
    assert client.get(path).status_code == 200
    return time.perf_counter() - start


def boot(client: httpx.Client, path: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="boot">(.*?)</script>', client.get(path).text)
    assert found is not None
    data: dict[str, Any] = json.loads(found[1])
    return data


def test_all_knobs_start_off(admin: httpx.Client) -> None:
    off = Knobs()
    assert admin.get("/__knobs").json() == off.as_dict()
    assert not any((off.delay_ms, off.save_delay_ms, off.failure_rate, off.fail_next))
    assert not any((off.optimistic, off.storm, off.noise))
    assert [create(admin) for _ in range(10)] == [201] * 10


def test_delay_applies_to_every_answer_and_save_delay_only_to_changes(admin: httpx.Client) -> None:
    turn(admin, delay_ms=120)
    assert took(admin, "/api/videos") >= 0.12
    turn(admin, delay_ms=0, save_delay_ms=120)
    start = time.perf_counter()
    assert create(admin) == 201
    assert time.perf_counter() - start >= 0.12


def test_fail_next_refuses_exactly_that_many_changes_without_effect(admin: httpx.Client) -> None:
    turn(admin, fail_next=2)
    assert admin.get("/api/videos").status_code == 200, "reading is no change"
    assert [create(admin) for _ in range(3)] == [500, 500, 201]
    assert effects(admin) == ["video.created"]
    known = truth(admin)
    assert (known["videos"], known["deliberateFailures"], known["knobs"]["fail_next"]) == (21, 2, 0)


def test_failing_after_the_effect_applies_it_once_and_still_answers_500(admin: httpx.Client) -> None:
    turn(admin, fail_next=1, fail_mode="after")
    assert create(admin) == 500
    assert effects(admin) == ["video.created"]
    assert truth(admin)["videos"] == 21


def test_failure_rate_is_spread_evenly(admin: httpx.Client) -> None:
    turn(admin, failure_rate=0.25)
    first = [create(admin) for _ in range(8)]
    turn(admin, failure_rate=0.25)
    assert first == [201, 201, 201, 500] * 2 == [create(admin) for _ in range(8)]
    assert truth(admin)["videos"] == 20 + 12


def test_a_header_sets_knobs_for_one_request_only(admin: httpx.Client) -> None:
    assert create(admin, **{"X-Knobs": "fail_next:1"}) == 500
    assert create(admin) == 201


def test_the_address_sets_knobs_for_its_own_page_only(admin: httpx.Client) -> None:
    booted = boot(admin, "/videos?knob=storm,toast_ms:50&knob=delay_ms:5")
    assert (booted["knobs"]["storm"], booted["knobs"]["toast_ms"], booted["knobs"]["delay_ms"]) == (
        True,
        50,
        5,
    )
    assert booted["asked"] == "storm,toast_ms:50,delay_ms:5"
    assert boot(admin, "/videos")["knobs"] == Knobs().as_dict()
    assert admin.get("/__knobs").json() == Knobs().as_dict(), "opening a page changes nothing"


def test_reset_restores_all_knobs(admin: httpx.Client) -> None:
    turn(admin, storm=True, delay_ms=3)
    admin.post("/__reset")
    assert admin.get("/__knobs").json() == Knobs().as_dict()


@pytest.mark.parametrize(
    "knobs",
    [{"speed": 1}, {"delay_ms": "fast"}, {"delay_ms": -1}, {"storm": "maybe"}, {"fail_mode": "never"}],
)
def test_a_bad_knob_is_refused_and_named(admin: httpx.Client, knobs: dict[str, Any]) -> None:
    answer = admin.post("/__knobs", json=knobs)
    assert answer.status_code == 400
    assert f"`{next(iter(knobs))}`" in answer.json()["detail"]
    assert admin.get("/__knobs").json() == Knobs().as_dict()


def test_a_bad_knob_in_the_address_or_header_is_refused(admin: httpx.Client) -> None:
    assert admin.get("/videos?knob=speed:1").status_code == 400
    assert admin.get("/api/videos", headers={"X-Knobs": "speed:1"}).status_code == 400


def test_knob_text_names_switches_without_a_value() -> None:
    assert Knobs().changed(parse(" storm , delay_ms:7,")) == Knobs(storm=True, delay_ms=7)
    with pytest.raises(BadKnob, match="unknown knob `x`"):
        Knobs().changed(parse("x"))
