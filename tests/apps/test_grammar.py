"""The generated pages themselves: a complete, fixed design, one truth each, and a server that records the writes."""

from __future__ import annotations

import hashlib
import http.client
import json
from collections import Counter
from itertools import combinations

import pytest
from websockets.sync.client import connect

from apps.grammar import DIMENSIONS, cases, design, serving
from apps.grammar.dimensions import NETWORK, OUTSIDE, forbidden_pairs
from apps.grammar.verdict import judge
from uiap.actions.registry import ACTIONS
from uiap.spec.capability import UI_ROLES

IDS_DIGEST = "ad0bf7da96b0d87c16832cf77b318569f9ab74b787c96bd798f159e77d9c2529"
"""The ids decide which half a case is in, so they change only on purpose."""


def ask(port: int, path: str, method: str = "GET") -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_the_cases_contain_every_pair_of_values_that_has_a_meaning() -> None:
    shapes, left_over = design()
    assert left_over == ()
    found = {pair for shape in shapes for pair in combinations(tuple(shape._asdict().items()), 2)}
    assert not found & forbidden_pairs()
    for name, values in DIMENSIONS.items():
        assert {getattr(shape, name) for shape in shapes} == set(values)


def test_half_of_the_cases_must_succeed_and_each_half_has_both_kinds() -> None:
    assert len(cases()) >= 200
    assert Counter(case.truth.succeeds for case in cases()) == {
        True: len(cases()) / 2,
        False: len(cases()) / 2,
    }
    for half in ("tune", "measure"):
        kinds = Counter(case.truth.succeeds for case in cases() if case.half == half)
        assert 0.35 < kinds[True] / kinds.total() < 0.65
        assert 0.4 < kinds.total() / len(cases()) < 0.6


def test_the_design_depends_on_nothing_but_its_seed() -> None:
    ids = [case.id for case in cases()]
    assert len(set(ids)) == len(ids)
    assert hashlib.sha256("\n".join(ids).encode()).hexdigest() == IDS_DIGEST


def test_every_case_uses_an_action_and_a_role_of_the_runtime() -> None:
    for case in cases():
        assert case.action in ACTIONS
        assert case.role in UI_ROLES
        assert "window.__truth" in case.html and "uiap" not in case.html.lower()


def test_the_records_of_the_server_follow_from_the_carrier() -> None:
    for case in cases():
        carrier = case.shape.carrier
        if carrier in NETWORK:
            assert len(case.truth.server) == 1
        elif carrier in OUTSIDE:
            assert bool(case.truth.server) is case.truth.succeeds
        else:
            assert case.truth.server == ()


def test_the_timeout_leaves_time_after_the_end_of_the_page() -> None:
    assert all(case.timeout_ms >= int(case.shape.delay) + 2500 for case in cases())


def test_the_server_records_writes_by_trial_over_http_socket_and_stream() -> None:
    with serving() as server:
        assert ask(server.port, "/case/" + cases()[0].id)[0] == 200
        assert ask(server.port, "/case/nothing")[0] == 404
        assert ask(server.port, "/save?trial=1&answer=ok&delay=0", "POST")[0] == 200
        assert ask(server.port, "/save?trial=1&answer=status-503&delay=0", "POST")[0] == 503
        with connect(f"ws://127.0.0.1:{server.socket_port}/") as socket:
            socket.send(json.dumps({"trial": 2, "token": "a", "answer": "body-ok", "delay": 0}))
            assert json.loads(socket.recv(timeout=10))["token"] == "a"
        pushed = "/save?trial=3&answer=held&delay=0&token=b&push=1"
        assert ask(server.port, pushed, "POST")[0] == 202
        assert json.loads(server.stream(3).get(timeout=10))["token"] == "b"
        assert server.records == {1: ["accepted", "refused"], 2: ["refused"], 3: ["held"]}


@pytest.mark.parametrize("succeeds", [True, False])
def test_a_claim_is_judged_by_page_and_server(succeeds: bool) -> None:
    case = next(
        c for c in cases() if c.truth.succeeds is succeeds and c.truth.server and c.shape.control == "button"
    )
    records = list(case.truth.server)
    page = {"performed": 1, "decoy": 0, "shown": case.truth.shown, "value": "none"}
    assert judge(case, succeeds, page, records) == "right"
    assert judge(case, not succeeds, page, records) == ("false failure" if succeeds else "false success")
    assert judge(case, False, {"performed": 0, "shown": "nothing", "value": "none"}, []) == "missed"
    assert judge(case, True, {"performed": 0, "shown": "nothing", "value": "none"}, []) == "false success"
    assert judge(case, succeeds, page | {"performed": 2}, records * 2) == "wrong effect"
    assert judge(case, succeeds, page | {"decoy": 1}, records) == "wrong effect"
