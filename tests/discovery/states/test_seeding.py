"""The six kinds of seeds: each leads where it says, or is rejected with a reason."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.package.test_actions import RunWithRegistry
from tests.discovery.package.test_workflows import SITE
from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import (
    BASE,
    Element,
    Page,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands
from uiap.discovery.plan.plan import KnownAction
from uiap.discovery.plan.seeds import seed_key
from uiap.spec.capability import RouteRef, SemanticRef, StableIdRef
from uiap.spec.discovery import (
    ActionSeed,
    ActionTargetPattern,
    DiscoveredWorkflowCandidate,
    DiscoveryPackage,
    DocumentationSeed,
    EvidenceRef,
    MenuSeed,
    RouteSeed,
    UrlSeed,
    WorkflowSeed,
    WorkflowStepSkeleton,
)

MAKE = DiscoveredWorkflowCandidate(
    id="make",
    step_skeleton=(
        WorkflowStepSkeleton(type="action", action_id="nav.navigate", target=RouteRef(value="/videos")),
        WorkflowStepSkeleton(
            type="action", action_id="ui.activate", target=SemanticRef(role="link", name="New")
        ),
        WorkflowStepSkeleton(type="action", action_id="ui.activate", target=StableIdRef(value="create")),
        WorkflowStepSkeleton(type="complete"),
    ),
    discovered_by=(EvidenceRef(source="app_registry", ref_id="workflow:make"),),
    confidence="high",
)


def gaps(package: DiscoveryPackage) -> str:
    return "\n".join(one.description for one in package.review_queue.items if one.kind == "coverage_gap")


def visited(package: DiscoveryPackage) -> tuple[int, int]:
    return package.coverage.seeds_visited, package.coverage.seeds_total


@pytest.mark.requirement("DISC-9")
def test_each_of_the_six_kinds_of_seeds_has_its_own_initial_state() -> None:
    pages = {
        **SHOP,
        "/made": Page([Element("button", "Make", more={"default_action": "video.make"})], title="Made"),
    }
    seeds = (
        RouteSeed(route_id="team.page"),
        UrlSeed(url="/videos/3"),
        MenuSeed(label="Menu"),
        ActionSeed(action_id="video.make"),
        WorkflowSeed(workflow_id="make"),
        DocumentationSeed(ref="guide"),
    )
    run = SimulatedRun(
        SimulatedApp(pages),
        environment("safe_explore", max_transitions=4),
        seeds=seeds,
        routes={"team.page": "/team", "/videos": "/videos"},
        actions={"video.make": KnownAction(urls=("/made",))},
        catalog=(MAKE,),
        documents={"guide": "Open /team/rights first."},
    )
    run.app.pages["/team/rights"] = Page([Element("tab", "Rights")], title="Rights")
    package = run.complete()
    assert visited(package) == (7, 7)
    places = {one.metadata["url"] for one in package.transition_graph.states if "seed" in one.metadata}
    paths = ("/", "/team", "/videos/3", "/made", "/videos", "/team/rights")
    assert places == {f"{BASE}{path}" for path in paths}
    assert "Menu" in run.app.pressed


@pytest.mark.requirement("DISC-9.1a")
def test_an_action_seed_is_visited_where_the_action_is_offered_and_rejected_where_nobody_knows_it() -> None:
    make = Element("button", "Make", more={"stable_id": "make", "default_action": "video.make"})
    pages = {**SHOP, "/team": Page([make], title="Team")}
    seeds = (ActionSeed(action_id="video.make"), ActionSeed(action_id="video.unknown"))
    package, _, _ = explore(pages, seeds=seeds)
    assert visited(package) == (2, 3)
    (state,) = [one for one in package.transition_graph.states if one.metadata.get("seed") == 1]
    assert state.route_id == "/team"
    assert "`video.unknown` is rejected" in gaps(package) and "video.make" not in gaps(package)
    pattern = KnownAction(urls=("/videos",), patterns=(ActionTargetPattern(stable_id="make"),))
    run = SimulatedRun(SimulatedApp(pages), environment(), seeds=seeds[:1], actions={"video.make": pattern})
    moved = run.complete()  # the action is not at its former address any more
    assert visited(moved) == (2, 2) and f"{BASE}/videos" in run.app.loaded


@pytest.mark.requirement("DISC-9.1b")
def test_a_workflow_seed_starts_where_the_workflow_starts_and_follows_its_permitted_steps() -> None:
    run = SimulatedRun(
        SimulatedApp(SITE), environment(), seeds=(WorkflowSeed(workflow_id="make"),), catalog=(MAKE,)
    )
    package = run.complete()
    assert run.app.loaded[1] == f"{BASE}/videos" and run.app.pressed[0] == "New"
    assert "Create video" not in run.app.pressed and "followed up to `create`" in gaps(package)
    sandbox = SimulatedRun(
        SimulatedApp(SITE),
        environment("sandbox_write"),
        seeds=(WorkflowSeed(workflow_id="make"),),
        catalog=(MAKE,),
    )
    sandbox.complete()
    assert sandbox.app.pressed[:2] == ["New", "Create video"]


@pytest.mark.requirement("DISC-9.1c")
def test_a_documentation_seed_is_read_and_its_addresses_and_labels_become_seeds_and_evidence() -> None:
    text = 'Open /team to see all. Press "Menu" for more, or **Videos**. See https://other.test/x too.'
    run = SimulatedRun(
        SimulatedApp(SHOP), environment(), seeds=(DocumentationSeed(ref="guide"),), documents={"guide": text}
    )
    package = run.complete()
    assert {"Team", "Menu", "Videos"} <= set(
        run.app.pressed[:3]
    ) and "http://other.test" not in run.app.loaded
    plain = msgspec.to_builtins(package)
    team = next(one for one in plain["routeCatalog"]["routes"] if one["routeId"] == "/team")
    assert {"source": "documentation", "refId": "document:guide"} in team["discoveredBy"]
    menu = next(one for one in plain["elementCatalog"]["elements"] if one.get("names") == ("Menu",))
    assert {"source": "documentation", "refId": "document:guide"} in menu["discoveredBy"]


@pytest.mark.requirement("DISC-9.1d")
@pytest.mark.parametrize("how", ["bound", "annotated", "unknown"])
def test_a_route_seed_leads_to_the_route_of_that_id_and_to_no_path_made_from_its_name(how: str) -> None:
    pages = {**SHOP, "/videos.list": Page(title="Wrong"), "/team": Page(title="Team", route="videos.list")}
    if how == "unknown":
        pages["/team"] = SHOP["/team"]
    routes = {"videos.list": "/videos"} if how == "bound" else {}
    run = SimulatedRun(
        SimulatedApp(pages), environment(), seeds=(RouteSeed(route_id="videos.list"),), routes=routes
    )
    package = run.complete()
    assert f"{BASE}/videos.list" not in run.app.loaded and f"{BASE}/videos/list" not in run.app.loaded
    found = [one.route_id for one in package.transition_graph.states if one.metadata.get("seed") == 1]
    assert found == {"bound": ["/videos"], "annotated": ["videos.list"], "unknown": []}[how]
    assert ("`videos.list` is rejected" in gaps(package)) == (how == "unknown")


@pytest.mark.requirement("DISC-9.2")
def test_each_seed_says_where_it_comes_from() -> None:
    route, document = RouteSeed(route_id="team"), DocumentationSeed(ref="guide")
    earlier = UrlSeed(url="/videos/9")
    run = RunWithRegistry(
        SimulatedApp({**SHOP, "/help": Page(title="Help")}),
        environment(),
        seeds=(UrlSeed(url="/videos"), route, document, earlier),
        routes={"team": "/team"},
        documents={"guide": "Read /help."},
        sources={
            seed_key(route): "manifest",
            seed_key(document): "documentation",
            seed_key(earlier): "package",
        },
    )
    run.sitemap_urls = (f"{BASE}/videos/7/parts",)
    seeds: list[dict[str, Any]] = run.complete().metadata["preparation"]["seeds"]
    members = [[value for name, value in one.items() if name not in ("kind", "source")] for one in seeds]
    found = {names[0]: one["source"] for names, one in zip(members, seeds, strict=True)}
    assert found == {
        f"{BASE}/": "caller",
        "/videos": "caller",
        "team": "manifest",
        "guide": "documentation",
        "/videos/9": "package",
        "view.compact": "registry",
        "account.delete": "registry",
        "mail.go": "registry",
        "report.open": "registry",
        f"{BASE}/videos/7/parts": "sitemap",
    }
    assert any(isinstance(one, commands.Load) for one in run.commands)
