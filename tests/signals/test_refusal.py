"""Which answers of a server refuse: by status, by the shape of their JSON, in several languages."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uiap.signals.refusal import (
    Answer,
    is_telemetry,
    refusal_in,
    refusal_of,
    refuses_by_status,
)
from uiap.signals.refusal_kind import kind_of_refusal

REFUSALS: list[tuple[Any, str]] = [
    ({"ok": False}, ""),
    ({"ok": False, "message": "Card declined"}, "Card declined"),
    ({"success": False, "error": "No stock"}, "No stock"),
    ({"isSuccess": False, "errorMessage": "Zu wenig Guthaben"}, "Zu wenig Guthaben"),
    ({"errors": ["Name is taken"]}, "Name is taken"),
    ({"valid": False, "fields": {"email": "has an account"}}, ""),
    ({"added": False, "reason": "sold out"}, "sold out"),
    ({"errors": {"email": ["is taken"]}}, "email: is taken"),
    ({"errors": [{"message": "Not allowed", "path": ["createOrder"]}], "data": None}, "Not allowed"),
    ({"data": {"createOrder": None}, "errors": [{"message": "Not allowed"}]}, "Not allowed"),
    ({"data": {"createOrder": {"order": None, "userErrors": [{"message": "Too many"}]}}}, "Too many"),
    ({"data": {"createOrder": {"ok": False, "errors": [{"message": "Too many"}]}}}, "Too many"),
    ({"error": "expired"}, "expired"),
    ({"error": {"code": -32000, "message": "Locked"}, "id": 1, "jsonrpc": "2.0"}, "Locked"),
    ([{"jsonrpc": "2.0", "id": 1, "error": {"message": "Locked"}}], "Locked"),
    ({"status": "error", "message": "Busy"}, "Busy"),
    ({"status": "declined"}, "declined"),
    ({"result": {"success": False, "reason": "Closed"}}, "Closed"),
    ({"code": 40013, "msg": "余额不足", "data": None}, "余额不足"),
    ({"title": "Out of credit", "status": 403, "detail": "You have 30, it costs 50"}, "You have 30"),
    ({"message": "Die Zahlung wurde abgelehnt"}, "Die Zahlung wurde abgelehnt"),
    ({"gelukt": False, "reden": "Binnen 24 uur"}, ""),
    ({"errcode": 5, "errmsg": "forbidden"}, "forbidden"),
]
ACCEPTED: list[Any] = [
    {},
    [],
    None,
    17,
    {"ok": True},
    {"id": 7, "title": "Milk", "sent": False},
    {"completed": False},
    {"completed": False, "title": "Buy some milk"},
    {"archived": False, "note": "short"},
    {"pinned": False, "starred": True, "reason": "two flags"},
    {"id": 7, "muted": False, "reason": "on request"},
    {"liked": False},
    {"ok": True, "errors": []},
    {"success": True, "error": None, "message": "saved"},
    {"errors": [], "data": {"createOrder": {"id": 5}}},
    {"errors": {}, "error": ""},
    {"error": False, "errors": None},
    {"error": "none"},
    {"error": {"code": 0, "message": ""}},
    {"errors": 0, "items": [1]},
    {"errors": 12, "requests": 4000},
    [{"id": 1, "level": "error", "text": "an error in the log"}],
    [{"error": "an old one"}, {"error": "another"}],
    {"items": [{"status": "failed"}, {"error": "boom"}], "total": 2},
    {"id": 5, "status": "failed", "name": "nightly job"},
    {"id": 7, "state": "rejected", "amount": 5},
    {"code": 0, "msg": "ok", "data": {"id": 1}},
    {"code": 200, "message": "success", "data": []},
    {"data": {"createOrder": {"order": {"id": 5}, "userErrors": []}}},
    {"data": {"report": {"errors": [{"at": "12:00"}], "title": "Errors of today"}}},
    {"status": "ok", "message": "no errors found"},
]


@pytest.mark.parametrize(("body", "words"), REFUSALS, ids=lambda one: json.dumps(one)[:60])
def test_a_body_that_refuses_is_recognised_with_its_own_words(body: Any, words: str) -> None:
    found = refusal_in(json.dumps(body), "application/json")
    assert found is not None and words in found


@pytest.mark.parametrize("body", ACCEPTED, ids=lambda one: json.dumps(one)[:60])
def test_a_body_that_accepts_or_holds_data_refuses_nothing(body: Any) -> None:
    assert refusal_in(json.dumps(body), "application/json") is None


@settings(suppress_health_check=[HealthCheck.too_slow])  # a busy machine draws slowly
@given(body=st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.sampled_from(["id", "name", "items", "total", "rows", "price"]), inner, max_size=4),
    max_leaves=12,
))  # fmt: skip
def test_data_without_members_of_an_answer_refuses_nothing(body: Any) -> None:
    assert refusal_in(json.dumps(body), "application/json") is None


@given(
    flag=st.sampled_from(["ok", "success", "Success", "is_success"]),
    others=st.dictionaries(st.text(max_size=6), st.integers() | st.text(max_size=6), max_size=4),
    wrapper=st.sampled_from([None, "data", "result", "response"]),
)
def test_a_false_flag_refuses_whatever_stands_beside_it(flag: str, others: Any, wrapper: str | None) -> None:
    body = {**others, flag: False}
    assert (
        refusal_in(json.dumps(body if wrapper is None else {wrapper: body}), "application/json") is not None
    )


@given(text=st.text(max_size=300))
def test_any_text_is_judged_without_an_error_and_bounded(text: str) -> None:
    found = refusal_in(text, "text/plain")
    assert found is None or len(found) <= 200


def test_texts_that_are_no_json() -> None:
    assert refusal_in("ERROR: no stock", "text/plain") == "ERROR: no stock"
    assert refusal_in("NOK", "text/plain") == "NOK"
    assert refusal_in("stored as order 7", "text/plain") is None
    assert refusal_in("<p>Error</p>", "text/html") is None  # a part of a page; the page shows it
    assert refusal_in("<soap:Fault><faultstring>Locked</faultstring></soap:Fault>", "text/xml") == "Locked"
    assert refusal_in(")]}',\n" + json.dumps({"ok": False, "error": "No"}), "application/json") == "No"


def test_a_pushed_message_refuses_by_its_type_or_event() -> None:
    assert refusal_in('{"type":"error","text":"Full"}', pushed=True) == "Full"
    assert refusal_in('42["exception",{"message":"Full"}]', pushed=True) == "Full"
    assert refusal_in(
        '["1","2","lv:x","phx_reply",{"status":"error","response":{"reason":"x"}}]', pushed=True
    )
    assert refusal_in('{"type":"saved","id":"7"}', pushed=True) is None


def test_a_read_may_have_errors_as_its_data() -> None:
    log = json.dumps({"errors": [{"at": "12:00"}], "page": 1})
    assert refusal_in(log, "application/json", read=True) is None
    assert refusal_in(log, "application/json") is not None
    assert refusal_in(json.dumps({"ok": False}), "application/json", read=True) is not None


def test_a_request_to_decline_is_not_refused_by_the_decision_that_it_asked_for() -> None:
    body = json.dumps({"status": "rejected"})
    assert refusal_of(Answer(method="POST", address="/orders/7", status=200, text=body))
    assert refusal_of(Answer(method="POST", address="/orders/7/reject", status=200, text=body)) is None


@pytest.mark.parametrize(("method", "address", "status", "refuses"), [
    ("POST", "/save", 422, True),
    ("DELETE", "/videos/7", 404, True),
    ("GET", "/videos", 500, True),
    ("GET", "/names/ann", 404, False),
    ("POST", "/save", 302, False),
    ("PROPFIND", "/calendars", 404, False),
    ("PROPFIND", "/calendars", 403, True),
    ("POST", "/sharing/v1/all/list", 404, False),
    ("POST", "/api/users.search?q=a", 501, False),
    ("POST", "/api/getFeatures", 405, False),
    ("POST", "/api/users/search", 500, True),
    ("POST", "/api/list/items", 404, True),
    ("POST", "/wishlist", 404, True),
])  # fmt: skip
def test_a_status_refuses_unless_a_read_found_nothing(
    method: str, address: str, status: int, refuses: bool
) -> None:
    assert refuses_by_status(method, status, address) is refuses


def test_the_refusal_names_the_request_and_its_own_words() -> None:
    answer = Answer(
        method="post", address="https://a.example/save?k=1", status=422, text='{"detail":"Too short"}'
    )
    assert refusal_of(answer) == "POST /save was answered with 422: Too short"
    assert refusal_of(Answer(method="POST", address="/save", failed=True)) == "POST /save: no answer"
    assert refusal_of(Answer(method="GET", address="/search", failed=True)) is None


@pytest.mark.parametrize(
    ("address", "telemetry"),
    [
        ("https://www.google-analytics.com/g/collect?v=2", True),
        ("/api/analytics/click", True),
        ("https://o1.ingest.sentry.io/api/1/envelope/", True),
        ("/api/orders", False),
        ("/api/tracks/7", False),
    ],
)
def test_telemetry_is_recognised_by_its_address(address: str, telemetry: bool) -> None:
    assert is_telemetry(address) is telemetry
    answer = Answer(method="POST", address=address, status=503, text='{"ok":false}')
    assert (refusal_of(answer) is None) is telemetry


def test_a_later_answer_to_the_same_question_has_the_same_key() -> None:
    assert Answer(method="post", address="/a?n=1").key == Answer(method="POST", address="/a?n=2").key
    assert Answer(method="POST", address="/a").key != Answer(method="POST", address="/b").key


@pytest.mark.parametrize(
    ("body", "status", "kind"),
    [
        ({"state": "rejected"}, 200, "decision"),
        ({"errors": [{"line": 4}]}, 200, "findings"),
        ({"errors": [{"line": 4}], "ok": False}, 200, "plain"),
        ({"errors": [{"message": "No such order"}], "data": None}, 200, "plain"),
        ({"state": "rejected"}, 409, "plain"),
        ({"match": False, "left": 2}, 200, "denial"),
        ({"stored": False, "max": "10 MB"}, 200, "plain"),
    ],
)
def test_a_refusal_may_be_a_decision_or_a_list_of_findings(
    body: dict[str, object], status: int, kind: str
) -> None:
    answer = Answer(method="POST", address="/a", status=status, text=json.dumps(body))
    assert kind_of_refusal(answer) == kind
