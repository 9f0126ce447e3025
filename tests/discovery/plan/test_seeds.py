"""The seeds of a run: followed once, or rejected with the reason."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discovery.simulated_app import BASE
from uiap.discovery.plan.plan import RunPlan, RunTerms
from uiap.discovery.plan.seeds import check_seeds, route_url, seed_targets
from uiap.spec.discovery import (
    DiscoveryEnvironment,
    DiscoverySeed,
    DocumentationSeed,
    MenuSeed,
    RouteSeed,
    UrlSeed,
    WorkflowSeed,
)


def plan(*seeds: DiscoverySeed, **members: Any) -> RunPlan:
    environment = DiscoveryEnvironment(environment_id="test", base_url=f"{BASE}/")
    return RunPlan(RunTerms(run_id="run_1", environment=environment, seeds=seeds, **members))


@pytest.mark.parametrize(
    ("seed", "words"),
    [
        (UrlSeed(url="http://other.test/"), "other.test"),
        (MenuSeed(label=" "), "label"),
        (DocumentationSeed(ref="guide"), "guide"),
        (WorkflowSeed(workflow_id="create"), "create"),
    ],
)
def test_a_seed_that_cannot_be_followed_is_rejected_with_its_reason(seed: DiscoverySeed, words: str) -> None:
    accepted, rejected = check_seeds(plan(), [seed])
    assert accepted == []
    assert words in rejected[0].reason


def test_each_address_pattern_is_visited_once_and_the_base_comes_first() -> None:
    made = plan(UrlSeed(url=f"{BASE}/videos/1"), UrlSeed(url=f"{BASE}/videos/2"), UrlSeed(url=f"{BASE}/"))
    urls = [one.url for one in seed_targets(made, [f"{BASE}/about", "http://other.test/x"])]
    assert urls == [f"{BASE}/", f"{BASE}/videos/1", f"{BASE}/about"]


@pytest.mark.requirement("DISC-9.1d")
def test_a_route_is_loaded_by_its_known_address_and_no_path_is_guessed_from_its_name() -> None:
    made = plan(RouteSeed(route_id="videos.new"), routes={"home": "/start"})
    assert route_url(made, "home") == f"{BASE}/start"
    assert route_url(made, "/videos") == f"{BASE}/videos" and route_url(made, "videos.new") == ""


def test_documentation_and_workflows_lead_to_the_addresses_they_name() -> None:
    made = plan(
        DocumentationSeed(ref="guide"),
        WorkflowSeed(workflow_id="create"),
        documents={"guide": f"Open /videos/new or {BASE}/team first."},
        workflows={"create": (f"{BASE}/billing",)},
    )
    urls = [one.url for one in seed_targets(made)]
    assert {f"{BASE}/videos/new", f"{BASE}/team", f"{BASE}/billing"} <= set(urls)
