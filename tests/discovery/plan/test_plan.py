"""The plan of a run: defaults, and values without a member in v0.1."""

from __future__ import annotations

from typing import Any

from tests.discovery.simulated_app import BASE
from uiap.discovery.plan.plan import DEFAULT_SAFETY, RunBounds, RunPlan, RunTerms, metadata_list
from uiap.spec.discovery import DiscoveryBudget, DiscoveryEnvironment, DiscoveryPrincipalProfile


def plan(**members: Any) -> RunPlan:
    environment = DiscoveryEnvironment(environment_id="test", base_url=f"{BASE}/", **members)
    return RunPlan(RunTerms(run_id="run_1", environment=environment))


def test_a_budget_that_is_not_given_has_its_default() -> None:
    bounds = RunBounds.of(DiscoveryBudget(max_states=7))
    assert (bounds.states, bounds.transitions) == (7, RunBounds().transitions)
    assert plan().bounds == RunBounds()


def test_without_principals_one_anonymous_visit_is_planned() -> None:
    assert plan().profiles == (None,)
    people = (DiscoveryPrincipalProfile(id="ann"), DiscoveryPrincipalProfile(id="bob"))
    assert plan(principal_profiles=people).profiles == ("ann", "bob")


def test_only_the_origin_of_the_base_address_and_listed_ones_are_allowed() -> None:
    assert plan().safety == DEFAULT_SAFETY
    made = plan(metadata={"allowedOrigins": ["http://cdn.test"]})
    assert made.allowed_origins.allows(f"{BASE}/x") and made.allowed_origins.allows("http://cdn.test/y")
    assert not made.allowed_origins.allows("http://other.test/")


def test_a_list_of_another_type_in_the_metadata_is_ignored() -> None:
    assert (
        metadata_list(plan(metadata={"allowedOrigins": "http://cdn.test"}).environment, "allowedOrigins")
        == ()
    )
