from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.world import BASE, El, Journey, Page, Part, World, asked, discovered
from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.machine import Run
from uiap.spec.discovery import (
    ActionSeed,
    DiscoveryPackage,
    DocumentationSeed,
    MenuSeed,
    RouteSeed,
    UrlSeed,
    WorkflowSeed,
)

NAV = (
    El("link", "Home", href="/", scope="nav"),
    El("link", "Videos", href="/videos", scope="nav"),
    El("link", "Team", href="/team", scope="nav"),
)
NAV_PART = Part("nav", "region", "Main")
MENU = El("button", "Menu", opens="menu", scope="nav", state={"expanded": False})
ROWS = [
    El("link", f"Video {n}", href=f"/videos/{n}", scope="list", record=f"data-id:{n}") for n in range(1, 40)
]
SHOP = {
    "/": Page([*NAV, MENU], (NAV_PART, Part("menu", "menu", "More", hidden=True)), "Home"),
    "/videos": Page(
        [
            *NAV,
            *ROWS,
            El("button", "Quick", opens="box", state={"has_popup": "dialog"}),
            El("button", "Close", closes="box", scope="box"),
            El("textbox", "Title", scope="box"),
        ],
        (NAV_PART, Part("list", "list", "39 videos"), Part("box", "dialog", "New", hidden=True, modal=True)),
        "Videos",
    ),
    "/videos/:id": Page(
        [*NAV, El("button", "Delete", writes="/api/videos"), El("button", "Frob")], (NAV_PART,), "A video"
    ),
    "/team": Page(
        [*NAV, El("tab", "Members", opens="m"), El("tab", "Rights", opens="r")],
        (
            NAV_PART,
            Part("m", "tabpanel", "Members", hidden=True),
            Part("r", "tabpanel", "Rights", hidden=True),
        ),
        "Team",
    ),
}


def routes(package: DiscoveryPackage) -> set[str]:
    return {one.route_id for one in package.route_catalog.routes}


@pytest.mark.requirement("DISC-15.1", "DISC-11.3a")
def test_routes_with_parameters_are_one_route_and_one_visit() -> None:
    package, world, _ = discovered(SHOP)
    assert routes(package) == {"/", "/videos", "/videos/:id", "/team"}
    assert sum(url.startswith(f"{BASE}/videos/") for url in world.loaded) <= 2


@pytest.mark.requirement("DISC-11.1")
def test_everything_is_prepared_before_anything_is_loaded() -> None:
    journey = Journey(World(SHOP), asked(profiles=("admin",), max_states=5))
    journey.offers = {"profiles": ("web@0.1",), "extensions": ("uiap.discovery",)}
    package = journey.go()
    asked_for = [type(one) for one in journey.commands if not isinstance(one, do.Report)]
    assert asked_for.index(do.Prepare) < asked_for.index(do.Load)
    assert package.environment == journey.terms.environment
    assert package.run.profile == "admin" and package.run.seeds
    assert package.metadata["available"] == {"profiles": ["web@0.1"], "extensions": ["uiap.discovery"]}


@pytest.mark.requirement("DISC-8.2", "DISC-8.4", "DISC-13.1", "DISC-11.5d")
def test_only_what_was_allowed_was_pressed_and_each_has_its_decision() -> None:
    package, world, journey = discovered(SHOP)
    assert not {"Delete", "Frob"} & set(world.pressed)
    acts = [one for one in journey.commands if isinstance(one, do.Act)]
    assert acts and all(one.effect == "allow" and one.why for one in acts)
    assert all(edge.metadata["decision"]["effect"] == "allow" for edge in package.transition_graph.edges)


@pytest.mark.requirement("DISC-8.1")
def test_observe_only_loads_seeds_and_presses_nothing() -> None:
    package, world, journey = discovered(SHOP, "observe_only", seeds=(UrlSeed(url="/team"),))
    assert world.pressed == []
    assert routes(package) == {"/", "/team"}
    assert not any(isinstance(one, do.Act) for one in journey.commands)


@pytest.mark.requirement("DISC-10")
def test_a_run_passes_its_statuses_in_order() -> None:
    _, _, journey = discovered(SHOP)
    seen = [one.payload.status for one in journey.commands if isinstance(one, do.Report)]
    order = list(dict.fromkeys(seen))
    assert order == ["preparing", "seeding", "exploring", "extracting", "synthesizing", "reviewing"]
    assert journey.run.status == "completed"


@pytest.mark.parametrize(
    ("budget", "least", "most"),
    [({"max_states": 3}, 3, 3), ({"max_transitions": 2}, 1, 99), ({"max_per_route": 1}, 4, 4)],
)
@pytest.mark.requirement("DISC-2.1")
def test_budgets_end_the_run_and_are_reported(budget: dict[str, Any], least: int, most: int) -> None:
    package, _, _ = discovered(SHOP, **budget)
    graph = package.transition_graph
    assert least <= len(graph.states) <= most
    assert len(graph.edges) <= budget.get("max_transitions", 99)
    assert any(
        one.kind == "coverage_gap" and "budget" in one.description for one in package.review_queue.items
    )


@pytest.mark.requirement("DISC-2.1")
def test_time_spent_is_bounded_and_time_paused_is_not_spent() -> None:
    package, _, _ = discovered(SHOP, max_runtime_ms=500)
    assert len(package.transition_graph.states) < 5
    journey = Journey(World(SHOP), asked(max_runtime_ms=10_000))
    left = journey.steps(journey.tell(when.Started(at=journey.at())), limit=3)
    journey.tell(when.Paused(at=journey.at()))
    journey.steps(left)
    journey.mono += 3600
    journey.steps(journey.tell(when.Resumed(at=journey.at())))
    assert routes(journey.ended()) == {"/", "/videos", "/videos/:id", "/team"}


@pytest.mark.requirement("DISC-2.1")
def test_depth_is_bounded() -> None:
    chain = [
        El("button", f"Level {n}", opens=f"p{n}", scope=f"p{n - 1}" if n else None, state={"expanded": False})
        for n in range(6)
    ]
    parts = [Part(f"p{n}", "region", f"Level {n}", hidden=True) for n in range(6)]
    package, world, _ = discovered({"/": Page(chain, parts)}, max_depth=2)
    assert world.pressed.count("Level 2") == 0 and len(package.transition_graph.states) == 3


@pytest.mark.requirement("DISC-9", "DISC-11.2a")
def test_every_kind_of_seed_has_an_initial_state() -> None:
    world = World(SHOP)
    seeds = (
        RouteSeed(route_id="videos"),
        UrlSeed(url="/team"),
        MenuSeed(label="Team"),
        ActionSeed(action_id="video.create"),
        WorkflowSeed(workflow_id="make"),
        DocumentationSeed(ref="guide"),
    )
    journey = Journey(
        world,
        asked(max_transitions=1),
        seeds=seeds,
        workflows={"make": ("/videos",)},
        documents={"guide": "Open /videos/7 to see one."},
    )
    package = journey.go()
    assert package.coverage.seeds_visited == package.coverage.seeds_total
    kinds = {seed.kind for seed in package.run.seeds or ()}
    assert kinds >= {"url", "menu", "action", "workflow", "documentation"}
    assert f"{BASE}/videos/7" in world.loaded
    assert package.transition_graph.states[0].page_graph_ref


@pytest.mark.requirement("DISC-9", "DISC-SEC.1")
def test_seeds_outside_are_refused_with_a_reason() -> None:
    from uiap.discovery.plan.plan import RunPlan, RunTerms
    from uiap.discovery.plan.seeds import check_seeds

    plan = RunPlan(RunTerms(run_id="r", environment=asked()))
    given = (UrlSeed(url="http://other.test/"), UrlSeed(url="/ok"), DocumentationSeed(ref="nowhere"))
    accepted, rejected = check_seeds(plan, given)
    assert [one.url for one in accepted if isinstance(one, UrlSeed)] == ["/ok"]
    assert "other.test" in rejected[0].reason and "nowhere" in rejected[1].reason


@pytest.mark.requirement("DISC-SEC.1")
def test_a_place_that_leads_outside_is_no_state() -> None:
    pages = {"/": Page([El("link", "Partner", href="/go")]), "/go": Page(leads="http://other.test/")}
    package, _, _ = discovered(pages)
    assert all(one.metadata["url"].startswith(BASE) for one in package.transition_graph.states)


def test_a_write_that_the_guard_held_back_makes_the_transition_unresolved() -> None:
    """A control that looks harmless and is not."""
    pages = {"/": Page([El("button", "Show more", writes="/api/track")])}
    package, _, _ = discovered(pages)
    (edge,) = package.transition_graph.edges
    assert edge.metadata["unresolved"] and edge.metadata["blocked"][0]["method"] == "POST"
    assert package.coverage.unresolved_transitions == 1
    held = [one for one in package.review_queue.items if "network guard blocked it" in one.description]
    assert held and held[0].severity == "high" and held[0].evidence[0].ref_id == edge.transition_id


def test_what_every_page_asks_by_itself_is_not_the_doing_of_an_action() -> None:
    class Chatty(World):
        def press(self, node: str) -> when.Effects:
            found = super().press(node)
            return msgspec.structs.replace(
                found, blocked=(when.BlockedRequest("POST", f"{BASE}/beat", "write"),)
            )

    class Loud(Journey):
        def answer(self, command: do.Command) -> when.Event:
            event = super().answer(command)
            if isinstance(event, when.Arrived):
                beat = when.Effects(blocked=(when.BlockedRequest("POST", f"{BASE}/beat", "write"),))
                event = msgspec.structs.replace(event, effects=beat)
            return event

    package = Loud(Chatty(SHOP), asked()).go()
    assert package.coverage.unresolved_transitions == 0


def test_a_page_that_asks_as_it_comes_is_come_to_by_its_address_and_known() -> None:
    """An editor says who has it open; the link to it is not to blame, and the editor is not left out."""

    class Editor(Journey):
        def answer(self, command: do.Command) -> when.Event:
            event = super().answer(command)
            if isinstance(event, when.Arrived | when.Acted) and self.world.url.endswith("/edit"):
                ping = (when.BlockedRequest("POST", f"{BASE}/ping", "write"),)
                event = msgspec.structs.replace(event, effects=when.Effects(blocked=ping))
            return event

    pages = {
        "/": Page([El("link", "Edit", href="/edit")]),
        "/edit": Page([El("button", "Menu", opens="more")], (Part("more", "menu", "More", hidden=True),)),
    }
    package = Editor(World(pages), asked()).go()
    assert routes(package) == {"/", "/edit"} and len(package.transition_graph.states) == 3
    assert any("made the page send POST" in one.description for one in package.review_queue.items)


@pytest.mark.requirement("DISC-11.6")
def test_an_action_without_a_state_to_tell_apart_is_reviewed() -> None:
    package, _, _ = discovered({"/": Page([El("button", "Show details")])})
    kinds = {one.kind for one in package.review_queue.items if "Show details" in one.description}
    assert kinds >= {"coverage_gap", "missing_success_signal"}


def test_a_state_that_cannot_be_reached_again_is_given_up_and_told() -> None:
    class Fickle(World):
        """Its panel opens once and never again."""

        def press(self, node: str) -> when.Effects:
            if self.nodes[node].name == "Panel" and "Panel" in self.pressed:
                return when.Effects()
            return super().press(node)

    panel = [
        El("button", "Panel", opens="p", state={"expanded": False}),
        El("link", "Away", href="/b", scope="p"),
        El("button", "Show inside", scope="p", opens="q"),
    ]
    pages = {
        "/": Page(panel, (Part("p", "region", "Panel", hidden=True), Part("q", "region", "Q", hidden=True))),
        "/b": Page(title="B"),
    }
    journey = Journey(Fickle(pages), asked())
    package = journey.go()
    assert any("could not be reached again" in one.description for one in package.review_queue.items)


@pytest.mark.requirement("DISC-8.5")
def test_each_principal_is_prepared_in_turn_and_findings_say_who_saw_them() -> None:
    package, _, journey = discovered(SHOP, profiles=("admin", "viewer"))
    assert [one.profile for one in journey.commands if isinstance(one, do.Prepare)] == ["admin", "viewer"]
    team = next(one for one in package.route_catalog.routes if one.route_id == "/team")
    assert team.metadata["principals"] == ["admin", "viewer"]


def test_a_place_that_turns_people_away_is_looked_at_as_nobody() -> None:
    pages = {**SHOP, "/login": Page(leads="/")}
    world = World(pages)
    journey = Journey(world, asked(profiles=("admin",)))
    journey.urls = (f"{BASE}/login",)

    def answer(command: do.Command) -> when.Event:
        if isinstance(command, do.Prepare) and command.anonymous:
            world.pages = {**pages, "/login": Page([El("textbox", "Password")], title="Sign in")}
        return Journey.answer(journey, command)

    journey.answer = answer  # type: ignore[method-assign]
    assert "/login" in routes(journey.go())


def test_siblings_that_offer_the_same_are_a_pattern_and_not_all_visited() -> None:
    names = [f"page-{letter}" for letter in "abcdefghijkl"]
    index = Page([El("link", name, href=f"/wiki/{name}") for name in names])
    pages = {"/": index, **{f"/wiki/{name}": Page([El("link", "Back", href="/")]) for name in names}}
    package, world, _ = discovered(pages)
    assert routes(package) == {"/", "/wiki/:name"}
    assert len({url for url in world.loaded if "/wiki/" in url}) <= 4


@pytest.mark.requirement("DISC-14")
def test_cancelling_ends_with_what_was_found_so_far() -> None:
    journey = Journey(World(SHOP), asked())
    journey.steps(journey.tell(when.Started(at=journey.at())), limit=6)
    said = journey.tell(when.Cancelled(at=journey.at(), reason="enough"))
    (finish,) = [one for one in said if isinstance(one, do.Finish)]
    assert finish.package.run.status == "cancelled" and finish.package.transition_graph.states
    assert journey.tell(when.Resumed(at=journey.at())) == []


def test_a_run_that_breaks_off_gives_what_it_has() -> None:
    journey = Journey(World(SHOP), asked())
    journey.steps(journey.tell(when.Started(at=journey.at())), limit=6)
    journey.tell(when.Failed(at=journey.at(), problem="the browser is gone"))
    package = journey.ended()
    assert package.run.status == "failed" and "the browser is gone" in package.run.notes
    assert package.route_catalog.routes


def plain(package: DiscoveryPackage) -> Any:
    plain = msgspec.to_builtins(package)
    for member in ("runId", "startedAt", "finishedAt"):
        plain["run"].pop(member)
    return plain


def test_two_runs_give_the_same_package() -> None:
    assert plain(discovered(SHOP)[0]) == plain(discovered(SHOP)[0])


@pytest.mark.parametrize("after", range(1, 40, 4))
def test_a_run_that_was_killed_goes_on_to_the_same_package(after: int) -> None:
    whole = discovered(SHOP)[0]
    first = Journey(World(SHOP), asked())
    left = first.steps(first.tell(when.Started(at=first.at())), limit=after)
    if not left:
        return
    second = Journey(World(SHOP), asked())
    second.run = Run(second.terms)
    for event in first.events:
        second.run.handle(event)
    second.mono = first.mono
    second.steps(second.tell(when.Interrupted(at=second.at())))
    assert plain(second.ended()) == plain(whole)


@pytest.mark.requirement("DISC-8.3")
def test_an_interrupted_write_is_not_done_a_second_time() -> None:
    pages = {"/": Page([El("button", "Save", to="/done")]), "/done": Page(title="Done")}
    journey = Journey(World(pages), asked("sandbox_write"))
    left = journey.tell(when.Started(at=journey.at()))
    while not any(isinstance(one, do.Act) for one in left):
        left = journey.steps(left, limit=1)
    journey.steps(journey.tell(when.Interrupted(at=journey.at())))
    assert journey.world.pressed == []
    assert any(
        "whether it took effect is not known" in one.description for one in journey.ended().review_queue.items
    )
