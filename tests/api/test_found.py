"""The results of find, expect and wait."""

from __future__ import annotations

import pytest

from uiap.api.found import ElementMatch, Expected, Waited, clear_match
from uiap.errors import RuntimeFault
from uiap.spec.tools import LoadingState, ToolsExpectedPayload, ToolsWaitedPayload


def match(id: str, confidence: float) -> ElementMatch:
    return ElementMatch(id, "button", "Save", confidence, "name")


def expected(passed: bool) -> Expected:
    reason = {} if passed else {"reason": "toast.contains was not observed"}
    payload = ToolsExpectedPayload(
        passed=passed, policy="all", verdicts=(), revision="r1", elapsed_ms=1.0, **reason
    )
    return Expected(payload)


def test_the_one_clear_match_is_returned() -> None:
    assert clear_match([match("e1", 1.0), match("e2", 0.3)], "save").instance_id == "e1"


def test_no_match_and_two_equal_ones_are_errors_that_name_the_candidates() -> None:
    with pytest.raises(RuntimeFault) as missing:
        clear_match([], "save")
    assert missing.value.code == "target_not_found"
    with pytest.raises(RuntimeFault, match=r"e1.*e2") as several:
        clear_match([match("e1", 0.5), match("e2", 0.5)], "save")
    assert several.value.code == "target_ambiguous"


def test_words_never_mean_the_page_as_a_whole() -> None:
    page = ElementMatch("e0", "app", "", 1.0, "text")
    with pytest.raises(RuntimeFault, match="no element of its own") as only_text:
        clear_match([page], "save")
    assert only_text.value.code == "target_not_found"
    assert clear_match([page, match("e1", 0.9)], "save").instance_id == "e1"


def test_an_expectation_is_true_only_if_it_passed_and_check_raises_the_reason() -> None:
    assert expected(True) and expected(True).check()
    assert not expected(False)
    with pytest.raises(RuntimeFault, match=r"toast\.contains"):
        expected(False).check()


def test_a_wait_is_true_only_if_its_condition_was_met() -> None:
    loading = LoadingState(idle=True, busy=(), requests=())
    payload = ToolsWaitedPayload(done=False, changed=False, revision="r1", loading=loading, elapsed_ms=5.0)
    waited = Waited(payload)
    assert not waited and waited.changes == "" and "not done" in repr(waited)
