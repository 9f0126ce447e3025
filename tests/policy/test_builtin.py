"""The built-in rules are ordinary documents, and a program acts without a question only under `trusted`."""

from __future__ import annotations

import pytest

from uiap.host.consent.principals import DEFAULT_GRANTS
from uiap.policy.builtin import STANDARD, TRUSTED, documents_of, policy_set
from uiap.policy.request import PolicyRequest


def test_built_in_rules_are_named_and_given_documents_are_used_as_they_are() -> None:
    assert documents_of("standard") == (STANDARD,)
    assert documents_of((TRUSTED,)) == (TRUSTED,)
    assert policy_set("standard") is policy_set("standard")


@pytest.mark.parametrize(("rules", "effect"), [("standard", "confirm"), ("trusted", "allow")])
def test_a_write_of_a_person_needs_no_question_only_under_trusted_rules(rules: str, effect: str) -> None:
    request = PolicyRequest(
        action_id="ui.activate",
        principal_type="user",
        principal_id="ann",
        grants=frozenset(DEFAULT_GRANTS["user"]),
        side_effect="data_write",
    )
    assert policy_set(rules).decide(request).effect == effect  # type: ignore[arg-type]
