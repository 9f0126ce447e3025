"""Signals that only the page or the network reports."""

from __future__ import annotations

import pytest

from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.signals.reported import judge_custom, judge_entity, judge_network
from uiap.spec import web
from uiap.spec.capability import CustomSuccess, EntityCreated, NetworkResponse


def log(signal: web.WebSignal, attribution: str = "caused") -> SignalLog:
    made = SignalLog()
    made.occurrences.append(SignalOccurrence(signal, attribution))  # type: ignore[arg-type]
    return made


@pytest.mark.parametrize(
    ("signal", "met"),
    [
        (NetworkResponse(), True),
        (NetworkResponse(url_pattern="*/videos", status=201), True),
        (NetworkResponse(url_pattern="*/users"), False),
        (NetworkResponse(status=500), False),
    ],
)
def test_a_response_must_fit_address_and_status(signal: NetworkResponse, met: bool) -> None:
    reported = web.NetworkResponseSignal(url="http://app.test/videos", status=201)
    assert judge_network(signal, None, None, log(reported)).holds is met


def test_without_a_wanted_status_any_success_counts_and_no_failure() -> None:
    failed = web.NetworkResponseSignal(url="http://app.test/videos", status=500)
    assert not judge_network(NetworkResponse(), None, None, log(failed)).holds


def test_an_entity_must_have_the_type_or_be_in_the_returned_value() -> None:
    wanted = EntityCreated(entity_type="video", id_path="video.id")
    made = web.EntityCreatedSignal(entity_type="video", data={"video": {"id": "v7"}})
    assert judge_entity(wanted, None, None, log(made)).holds
    assert judge_entity(EntityCreated(entity_type="video", id_path="$.video.id"), None, None, log(made)).holds
    assert not judge_entity(wanted, None, None, log(web.EntityCreatedSignal(entity_type="video"))).holds
    assert not judge_entity(
        wanted, None, None, log(web.EntityCreatedSignal(entity_type="user", data={"video": {"id": "v7"}}))
    ).holds
    returned = SignalLog()
    returned.returned = {"video": {"id": "v7"}}
    assert judge_entity(wanted, None, None, returned).attribution == "caused"


def test_a_custom_signal_must_have_the_name_and_contain_the_payload() -> None:
    reported = web.CustomSignal(name="saved", payload={"id": 7, "by": "ada"})
    assert judge_custom(CustomSuccess(name="saved", payload={"id": 7}), None, None, log(reported)).holds
    assert not judge_custom(CustomSuccess(name="saved", payload={"id": 8}), None, None, log(reported)).holds
    assert not judge_custom(CustomSuccess(name="sent"), None, None, log(reported)).holds
