"""Cedar policies together with our own rules: the stricter counts, and an evaluation error is a denial."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.policy.test_evaluate import a_case, a_document
from uiap.errors import Unavailable
from uiap.host.consent.policy_file import rules_from
from uiap.policy.evaluate import PolicySet
from uiap.policy.request import PolicyRequest
from uiap.spec.policy import POLICY_EFFECTS, POLICY_GRANTS, PolicyDocument

cedarpy = pytest.importorskip("cedarpy", reason="the extra `cedar` is not installed")
LAX = {"id": "all", "match": {}, "effect": "allow"}
CLERK = PolicyRequest(
    principal_type="agent",
    principal_id='bot "1"',
    principal_roles=frozenset({"clerk"}),
    grants=frozenset(POLICY_GRANTS),
    action_id="invoice.approve",
    side_effect="data_write",
    stable_id="invoice.approve",
    origin="https://erp.example",
)


def together(cedar: str, rules: Any = (LAX,)) -> PolicySet:
    plain = {"modelVersion": "0.1", "id": "org", "defaults": {}, "rules": rules, "metadata": {"cedar": cedar}}
    return PolicySet((msgspec.convert(plain, PolicyDocument),))


@pytest.mark.parametrize(
    ("cedar", "effect", "by"),
    [
        ("permit(principal, action, resource);", "allow", "org/all"),
        ('@id("ask") @uiap("confirm") permit(principal, action, resource);', "confirm", "org/cedar: ask"),
        ('@id("him") @uiap("handoff") permit(principal, action, resource);', "handoff", "org/cedar: him"),
        ("", "deny", "org/cedar: nothing permits it"),
        (
            'permit(principal, action, resource); @id("no") forbid(principal in Uiap::Role::"clerk", action, resource)'
            ' when { context.sideEffect == "data_write" && context.origin like "https://*.example" };',
            "deny",
            "org/cedar: no",
        ),
        (
            'permit(principal == Uiap::Agent::"bot \\"1\\"", action == Uiap::Action::"invoice.approve", resource);',
            "allow",
            "org/all",
        ),
        ("permit(principal is Uiap::User, action, resource);", "deny", "org/cedar: nothing permits it"),
        (
            "permit(principal, action, resource); forbid(principal, action, resource) when { context.nothing };",
            "deny",
            "org/cedar: a policy could not be evaluated",
        ),
    ],
    ids=["permit", "ask", "hand over", "silence", "forbid by role", "by name", "other kind", "error"],
)
def test_a_cedar_policy_counts_if_it_is_stricter(cedar: str, effect: str, by: str) -> None:
    ruling = together(cedar).decide(CLERK)
    assert (ruling.effect, ruling.decided_by) == (effect, by)


def test_cedar_never_makes_our_own_rules_less_strict() -> None:
    rng = random.Random(5)
    for _ in range(150):
        plain, case = a_document(rng, 4), a_case(rng)
        own = PolicySet((msgspec.convert(plain, PolicyDocument),)).decide(case).effect
        permits = {**plain, "metadata": {"cedar": "permit(principal, action, resource);"}}
        forbids = {**plain, "metadata": {"cedar": "forbid(principal, action, resource);"}}
        assert PolicySet((msgspec.convert(permits, PolicyDocument),)).decide(case).effect == own
        assert PolicySet((msgspec.convert(forbids, PolicyDocument),)).decide(case).effect == "deny"
        assert own in POLICY_EFFECTS


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("permit(principal", "not valid Cedar policies"),
        ('@uiap("maybe") permit(principal, action, resource);', "maybe"),
    ],
)
def test_invalid_cedar_policies_are_refused_when_they_are_loaded(tmp_path: Path, text: str, why: str) -> None:
    file = tmp_path / "org.cedar"
    file.write_text(text)
    with pytest.raises(Unavailable) as refused:
        rules_from(file)
    assert why in refused.value.message


def test_a_file_in_cedar_is_a_policy_and_several_files_are_one_set(tmp_path: Path) -> None:
    file = tmp_path / "org.cedar"
    file.write_text('@id("never") forbid(principal, action, resource);')
    rules = rules_from(["standard", file])
    assert not isinstance(rules, str)
    assert [one.id for one in rules] == ["uiap.standard", "org"]
    assert PolicySet(rules).decide(CLERK).decided_by == "org/cedar: never"
