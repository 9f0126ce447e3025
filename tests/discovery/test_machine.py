"""A run of the machine on simulated applications, from its start to its package."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.shop import SHOP, comparable, route_ids
from tests.discovery.simulated_app import (
    BASE,
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands, events
from uiap.discovery.machine import Run
from uiap.spec.discovery import (
    ActionSeed,
    DocumentationSeed,
    MenuSeed,
    RouteSeed,
    UrlSeed,
    WorkflowSeed,
)


@pytest.mark.requirement("DISC-15.1", "DISC-11.3a")
def test_routes_with_parameters_are_one_route_and_one_visit() -> None:
    package, app, _ = explore(SHOP)
    assert route_ids(package) == {"/", "/videos", "/videos/:id", "/team"}
    assert sum(url.startswith(f"{BASE}/videos/") for url in app.loaded) <= 2


@pytest.mark.requirement("DISC-11.1")
def test_everything_is_prepared_before_anything_is_loaded() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment(profiles=("admin",), max_states=5))
    run.offers = {"profiles": ("web@0.1",), "extensions": ("uiap.discovery",)}
    package = run.complete()
    asked_for = [type(one) for one in run.commands if not isinstance(one, commands.Report)]
    assert asked_for.index(commands.Prepare) < asked_for.index(commands.Load)
    assert package.environment == run.terms.environment
    assert package.run.profile == "admin" and package.run.seeds
    assert package.metadata["available"] == {"profiles": ["web@0.1"], "extensions": ["uiap.discovery"]}


@pytest.mark.requirement("DISC-8.2", "DISC-8.4", "DISC-13.1", "DISC-11.5d")
def test_only_allowed_actions_are_performed_and_each_has_its_decision() -> None:
    package, app, run = explore(SHOP)
    assert not {"Delete", "Frob"} & set(app.pressed)
    acts = [one for one in run.commands if isinstance(one, commands.Act)]
    assert acts and all(one.effect == "allow" and one.why for one in acts)
    assert all(edge.metadata["decision"]["effect"] == "allow" for edge in package.transition_graph.edges)


@pytest.mark.requirement("DISC-8.1")
def test_observe_only_loads_seeds_and_performs_no_action() -> None:
    package, app, run = explore(SHOP, "observe_only", seeds=(UrlSeed(url="/team"),))
    assert app.pressed == []
    assert route_ids(package) == {"/", "/team"}
    assert not any(isinstance(one, commands.Act) for one in run.commands)


@pytest.mark.requirement("DISC-10")
def test_a_run_passes_its_statuses_in_order() -> None:
    _, _, run = explore(SHOP)
    seen = [one.payload.status for one in run.commands if isinstance(one, commands.Report)]
    order = list(dict.fromkeys(seen))
    assert order == ["preparing", "seeding", "exploring", "extracting", "synthesizing", "reviewing"]
    assert run.machine.status == "completed"


@pytest.mark.parametrize(
    ("budget", "least", "most"),
    [({"max_states": 3}, 3, 3), ({"max_transitions": 2}, 1, 99), ({"max_per_route": 1}, 4, 4)],
)
@pytest.mark.requirement("DISC-2.1")
def test_budgets_end_the_run_and_are_reported(budget: dict[str, Any], least: int, most: int) -> None:
    package, _, _ = explore(SHOP, **budget)
    graph = package.transition_graph
    assert least <= len(graph.states) <= most
    assert len(graph.edges) <= budget.get("max_transitions", 99)
    assert any(
        one.kind == "coverage_gap" and "budget" in one.description for one in package.review_queue.items
    )


@pytest.mark.requirement("DISC-2.1")
def test_the_runtime_is_bounded_and_paused_time_does_not_count() -> None:
    package, _, _ = explore(SHOP, max_runtime_ms=500)
    assert len(package.transition_graph.states) < 5
    run = SimulatedRun(SimulatedApp(SHOP), environment(max_runtime_ms=10_000))
    left = run.carry_out(run.send(events.Started(at=run.now())), limit=3)
    run.send(events.Paused(at=run.now()))
    run.carry_out(left)
    run.mono += 3600
    run.carry_out(run.send(events.Resumed(at=run.now())))
    assert route_ids(run.final_package()) == {"/", "/videos", "/videos/:id", "/team"}


@pytest.mark.requirement("DISC-2.1")
def test_depth_is_bounded() -> None:
    chain = [
        Element(
            "button", f"Level {n}", opens=f"p{n}", scope=f"p{n - 1}" if n else None, state={"expanded": False}
        )
        for n in range(6)
    ]
    parts = [Scope(f"p{n}", "region", f"Level {n}", hidden=True) for n in range(6)]
    package, app, _ = explore({"/": Page(chain, parts)}, max_depth=2)
    assert app.pressed.count("Level 2") == 0 and len(package.transition_graph.states) == 3


@pytest.mark.requirement("DISC-9", "DISC-11.2a")
def test_every_kind_of_seed_has_an_initial_state() -> None:
    app = SimulatedApp(SHOP)
    seeds = (
        RouteSeed(route_id="videos"),
        UrlSeed(url="/team"),
        MenuSeed(label="Team"),
        ActionSeed(action_id="video.create"),
        WorkflowSeed(workflow_id="make"),
        DocumentationSeed(ref="guide"),
    )
    run = SimulatedRun(
        app,
        environment(max_transitions=1),
        seeds=seeds,
        workflows={"make": ("/videos",)},
        documents={"guide": "Open /videos/7 to see one."},
    )
    package = run.complete()
    assert package.coverage.seeds_visited == package.coverage.seeds_total
    kinds = {seed.kind for seed in package.run.seeds or ()}
    assert kinds >= {"url", "menu", "action", "workflow", "documentation"}
    assert f"{BASE}/videos/7" in app.loaded
    assert package.transition_graph.states[0].page_graph_ref


@pytest.mark.requirement("DISC-9", "DISC-SEC.1")
def test_seeds_outside_the_allowed_origins_are_rejected_with_a_reason() -> None:
    from uiap.discovery.plan.plan import RunPlan, RunTerms
    from uiap.discovery.plan.seeds import check_seeds

    plan = RunPlan(RunTerms(run_id="r", environment=environment()))
    given = (UrlSeed(url="http://other.test/"), UrlSeed(url="/ok"), DocumentationSeed(ref="nowhere"))
    accepted, rejected = check_seeds(plan, given)
    assert [one.url for one in accepted if isinstance(one, UrlSeed)] == ["/ok"]
    assert "other.test" in rejected[0].reason and "nowhere" in rejected[1].reason


@pytest.mark.requirement("DISC-SEC.1")
def test_an_address_that_redirects_outside_is_not_a_state() -> None:
    pages = {
        "/": Page([Element("link", "Partner", href="/go")]),
        "/go": Page(redirects_to="http://other.test/"),
    }
    package, _, _ = explore(pages)
    assert {one.metadata["url"] for one in package.transition_graph.states} == {f"{BASE}/"}


def test_a_blocked_write_makes_the_transition_unresolved() -> None:
    pages = {"/": Page([Element("button", "Show more", writes="/api/track")])}
    package, _, _ = explore(pages)
    (edge,) = package.transition_graph.edges
    assert edge.metadata["unresolved"] and edge.metadata["blocked"][0]["method"] == "POST"
    assert package.coverage.unresolved_transitions == 1
    blocked = [one for one in package.review_queue.items if "network guard blocked it" in one.description]
    assert blocked and blocked[0].severity == "high" and blocked[0].evidence[0].ref_id == edge.transition_id


def test_a_request_that_every_page_sends_is_not_attributed_to_an_action() -> None:
    class AppWithHeartbeat(SimulatedApp):
        def press(self, node: str) -> events.Effects:
            found = super().press(node)
            return msgspec.structs.replace(
                found, blocked=(events.BlockedRequest("POST", f"{BASE}/beat", "write"),)
            )

    class RunWithHeartbeat(SimulatedRun):
        def answer(self, command: commands.Command) -> events.Event:
            event = super().answer(command)
            if isinstance(event, events.Arrived):
                beat = events.Effects(blocked=(events.BlockedRequest("POST", f"{BASE}/beat", "write"),))
                event = msgspec.structs.replace(event, effects=beat)
            return event

    package = RunWithHeartbeat(AppWithHeartbeat(SHOP), environment()).complete()
    assert package.coverage.unresolved_transitions == 0


def test_a_page_that_writes_on_load_is_visited_by_its_address() -> None:
    """An editor reports who has it open. The link to it did not cause that, and the editor is explored."""

    class RunWithEditor(SimulatedRun):
        def answer(self, command: commands.Command) -> events.Event:
            event = super().answer(command)
            if isinstance(event, events.Arrived | events.Acted) and self.app.url.endswith("/edit"):
                ping = (events.BlockedRequest("POST", f"{BASE}/ping", "write"),)
                event = msgspec.structs.replace(event, effects=events.Effects(blocked=ping))
            return event

    pages = {
        "/": Page([Element("link", "Edit", href="/edit")]),
        "/edit": Page(
            [Element("button", "Menu", opens="more")], (Scope("more", "menu", "More", hidden=True),)
        ),
    }
    package = RunWithEditor(SimulatedApp(pages), environment()).complete()
    assert route_ids(package) == {"/", "/edit"} and len(package.transition_graph.states) == 3
    assert any("made the page send POST" in one.description for one in package.review_queue.items)


@pytest.mark.requirement("DISC-11.6")
def test_an_action_that_leads_to_no_other_state_is_reviewed() -> None:
    package, _, _ = explore({"/": Page([Element("button", "Show details")])})
    kinds = {one.kind for one in package.review_queue.items if "Show details" in one.description}
    assert kinds >= {"coverage_gap", "missing_success_signal"}


def test_a_state_that_cannot_be_reached_again_is_reported_as_a_gap() -> None:
    class AppWithBrokenPanel(SimulatedApp):
        """Its panel opens once only."""

        def press(self, node: str) -> events.Effects:
            if self.nodes[node].name == "Panel" and "Panel" in self.pressed:
                return events.Effects()
            return super().press(node)

    panel = [
        Element("button", "Panel", opens="p", state={"expanded": False}),
        Element("link", "Away", href="/b", scope="p"),
        Element("button", "Show inside", scope="p", opens="q"),
    ]
    pages = {
        "/": Page(
            panel, (Scope("p", "region", "Panel", hidden=True), Scope("q", "region", "Q", hidden=True))
        ),
        "/b": Page(title="B"),
    }
    run = SimulatedRun(AppWithBrokenPanel(pages), environment())
    package = run.complete()
    assert any("could not be reached again" in one.description for one in package.review_queue.items)


@pytest.mark.requirement("DISC-8.5")
def test_each_principal_is_prepared_in_turn_and_findings_name_their_principals() -> None:
    package, _, run = explore(SHOP, profiles=("admin", "viewer"))
    assert [one.profile for one in run.commands if isinstance(one, commands.Prepare)] == ["admin", "viewer"]
    team = next(one for one in package.route_catalog.routes if one.route_id == "/team")
    assert team.metadata["principals"] == ["admin", "viewer"]


def test_an_address_that_redirects_signed_in_people_is_visited_anonymously() -> None:
    pages = {**SHOP, "/login": Page(redirects_to="/")}
    app = SimulatedApp(pages)
    run = SimulatedRun(app, environment(profiles=("admin",)))
    run.sitemap_urls = (f"{BASE}/login",)

    def answer(command: commands.Command) -> events.Event:
        if isinstance(command, commands.Prepare) and command.anonymous:
            app.pages = {**pages, "/login": Page([Element("textbox", "Password")], title="Sign in")}
        return SimulatedRun.answer(run, command)

    run.answer = answer  # type: ignore[method-assign]
    assert "/login" in route_ids(run.complete())


def test_siblings_that_offer_the_same_are_a_pattern_and_are_not_all_visited() -> None:
    names = [f"page-{letter}" for letter in "abcdefghijkl"]
    index = Page([Element("link", name, href=f"/wiki/{name}") for name in names])
    pages = {"/": index, **{f"/wiki/{name}": Page([Element("link", "Back", href="/")]) for name in names}}
    package, app, _ = explore(pages)
    assert route_ids(package) == {"/", "/wiki/:name"}
    assert len({url for url in app.loaded if "/wiki/" in url}) <= 4


@pytest.mark.requirement("DISC-14")
def test_a_cancelled_run_returns_what_it_found_so_far() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    run.carry_out(run.send(events.Started(at=run.now())), limit=6)
    issued = run.send(events.Cancelled(at=run.now(), reason="enough"))
    (finish,) = [one for one in issued if isinstance(one, commands.Finish)]
    assert finish.package.run.status == "cancelled" and finish.package.transition_graph.states
    assert run.send(events.Resumed(at=run.now())) == []


def test_a_failed_run_returns_what_it_found_so_far() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    run.carry_out(run.send(events.Started(at=run.now())), limit=6)
    run.send(events.Failed(at=run.now(), problem="the browser is gone"))
    package = run.final_package()
    assert package.run.status == "failed" and "the browser is gone" in package.run.notes
    assert package.route_catalog.routes


def test_two_runs_give_the_same_package() -> None:
    assert comparable(explore(SHOP)[0]) == comparable(explore(SHOP)[0])


@pytest.mark.parametrize("after", range(1, 20))
def test_a_killed_run_resumes_to_the_same_package(after: int) -> None:
    whole = explore(SHOP)[0]
    first = SimulatedRun(SimulatedApp(SHOP), environment())
    left = first.carry_out(first.send(events.Started(at=first.now())), limit=after)
    assert left, "it was killed before its end"
    second = SimulatedRun(SimulatedApp(SHOP), environment())
    second.machine = Run(second.terms)
    for event in first.events:
        second.machine.handle(event)
    second.mono = first.mono
    second.carry_out(second.send(events.Interrupted(at=second.now())))
    assert comparable(second.final_package()) == comparable(whole)


@pytest.mark.requirement("DISC-8.3")
def test_an_interrupted_write_is_not_repeated() -> None:
    pages = {"/": Page([Element("button", "Save", leads_to="/done")]), "/done": Page(title="Done")}
    run = SimulatedRun(SimulatedApp(pages), environment("sandbox_write"))
    left = run.send(events.Started(at=run.now()))
    while not any(isinstance(one, commands.Act) for one in left):
        left = run.carry_out(left, limit=1)
    run.carry_out(run.send(events.Interrupted(at=run.now())))
    assert run.app.pressed == []
    assert any(
        "whether it took effect is not known" in one.description
        for one in run.final_package().review_queue.items
    )
