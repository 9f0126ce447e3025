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
from uiap.graph.fingerprint import fingerprint
from uiap.graph.store import GraphStore
from uiap.runtime.resolve import gather
from uiap.spec.action import ActionTarget
from uiap.spec.capability import ActionDescriptor, RiskDescriptor
from uiap.spec.discovery import (
    ActionSeed,
    DocumentationSeed,
    UrlSeed,
)


@pytest.mark.requirement("DISC-15.1", "DISC-11.3a")
def test_routes_with_parameters_are_one_route_and_one_visit() -> None:
    package, app, _ = explore(SHOP)
    assert route_ids(package) == {"/", "/videos", "/videos/:id", "/team"}
    assert sum(url.startswith(f"{BASE}/videos/") for url in app.loaded) <= 2


@pytest.mark.requirement("DISC-11.1")
def test_everything_is_prepared_before_anything_is_loaded() -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment(profiles=("admin",), max_states=5))
    report = ActionDescriptor(
        id="report.open",
        kind="domain",
        target_kinds=("none",),
        execution_modes=("appAction",),
        risk=RiskDescriptor(level="confirm"),
    )
    run.offers = {"profiles": ("web@0.1",), "extensions": ("uiap.discovery",), "registered": (report,)}
    package = run.complete()
    assert package.run.seeds and ActionSeed(action_id="report.open") in package.run.seeds
    assert any(one.id == "report.open" for one in package.action_catalog.actions)
    asked_for = [type(one) for one in run.commands if not isinstance(one, commands.Report)]
    assert asked_for.index(commands.Prepare) < asked_for.index(commands.Load)
    assert package.environment == run.terms.environment
    assert package.run.profile == "admin" and package.run.seeds
    assert package.metadata["available"] == {"profiles": ["web@0.1"], "extensions": ["uiap.discovery"]}


@pytest.mark.requirement("DISC-8.2", "DISC-8.4", "DISC-13.1", "DISC-11.5d")
@pytest.mark.requirement("DISC-2.3")
def test_only_allowed_actions_are_performed_and_each_has_its_decision() -> None:
    package, app, run = explore(SHOP)
    assert not {"Delete", "Frob"} & set(app.pressed)
    acts = [one for one in run.commands if isinstance(one, commands.Act)]
    assert acts and all(one.effect == "allow" and one.why for one in acts)
    assert all(edge.metadata["decision"]["effect"] == "allow" for edge in package.transition_graph.edges)


@pytest.mark.requirement("DISC-8.1", "DISC-11.2a")
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
def test_a_link_to_another_origin_is_never_followed() -> None:
    links = [Element("link", "Partner", href="http://other.test/x"), Element("link", "Team", href="/team")]
    _, app, _ = explore({"/": Page(links), "/team": Page(title="Team")})
    assert app.pressed == ["Team"]
    assert not any("other.test" in url for url in app.loaded)


@pytest.mark.requirement("DISC-SEC.1")
def test_an_address_that_redirects_outside_is_not_a_state() -> None:
    pages = {
        "/": Page([Element("link", "Partner", href="/go")]),
        "/go": Page([Element("button", "Show")], title="Partner", redirects_to="http://other.test/"),
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


@pytest.mark.requirement("DISC-8.5c")
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


def test_pages_that_a_principal_visited_are_not_visited_anonymously() -> None:
    sign_in = Page([Element("textbox", "Password"), Element("link", "Team", href="/team")], title="Sign in")
    app = SimulatedApp({**SHOP, "/login": Page(redirects_to="/")})
    run = SimulatedRun(app, environment(profiles=("admin",)))
    run.sitemap_urls = (f"{BASE}/login",)

    def answer(command: commands.Command) -> events.Event:
        if isinstance(command, commands.Prepare) and command.anonymous:
            app.pages["/login"] = sign_in
        return SimulatedRun.answer(run, command)

    run.answer = answer  # type: ignore[method-assign]
    routes = [one.route_id for one in run.complete().transition_graph.states]
    signed_in = [one.route_id for one in explore(SHOP, profiles=("admin",))[0].transition_graph.states]
    assert routes.count("/team") == signed_in.count("/team") and "/login" in routes


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


@pytest.mark.requirement("DISC-8.7")
@pytest.mark.parametrize(
    ("budget", "name"),
    [
        ({"max_states": 2}, "states"),
        ({"max_transitions": 2}, "transitions"),
        ({"max_depth": 0}, "depth"),
        ({"max_runtime_ms": 500}, "runtime"),
        ({"max_per_route": 1}, "states per route"),
    ],
)
def test_each_budget_alone_ends_exploration_with_a_package_that_names_it(
    budget: dict[str, Any], name: str
) -> None:
    whole, _, _ = explore(SHOP)
    package, _, run = explore(SHOP, **budget)
    assert run.machine.status == "completed" and package.coverage.routes_discovered > 0
    assert len(package.transition_graph.states) < len(whole.transition_graph.states)
    gaps = [one.description for one in package.review_queue.items if one.kind == "coverage_gap"]
    assert any(f"budget for {name} " in text for text in gaps)


@pytest.mark.requirement("DISC-10b")
@pytest.mark.parametrize("status", ["cancelled", "failed"])
def test_a_run_that_ends_early_delivers_what_it_found_under_its_status(status: str) -> None:
    run = SimulatedRun(SimulatedApp(SHOP), environment())
    run.carry_out(run.send(events.Started(at=run.now())), limit=6)
    if status == "cancelled":
        run.send(events.Cancelled(at=run.now()))
    else:
        run.send(events.Failed(at=run.now(), problem="the browser is gone"))
    package = run.final_package()
    assert package.run.status == status and package.transition_graph.states and package.route_catalog.routes


@pytest.mark.requirement("DISC-11.1b")
def test_the_seven_facts_of_the_preparation_are_recorded_before_the_first_state() -> None:
    asked = environment(profiles=("admin",), max_states=9)
    asked = msgspec.structs.replace(asked, feature_flags={"beta": True})
    run = SimulatedRun(SimulatedApp(SHOP), asked, seeds=(UrlSeed(url="/team"),))
    run.offers = {"profiles": ("web@0.1",), "extensions": ("uiap.discovery",)}
    package = run.complete()
    facts = package.metadata["preparation"]
    assert facts["environment"] == "test" and facts["principals"] == ["admin"]
    assert facts["featureFlags"] == {"beta": True} and facts["budgets"]["states"] == 9
    assert facts["safety"]["defaultMode"] == "safe_explore"
    assert facts["available"]["profiles"] == ["web@0.1"]
    assert {"kind": "url", "url": "/team", "source": "caller"} in facts["seeds"]
    assert facts["at"] < min(one.metadata["discoveredAt"] for one in package.transition_graph.states)


@pytest.mark.requirement("DISC-11.2c")
def test_each_state_says_when_it_was_found_and_from_which_seed() -> None:
    app = SimulatedApp({**SHOP, "/": Page(title="Home")})
    run = SimulatedRun(app, environment(), seeds=(UrlSeed(url="/videos"), UrlSeed(url="/team")))
    states = run.complete().transition_graph.states
    moments = [one.metadata["discoveredAt"] for one in states]
    assert moments == sorted(moments) and len(set(moments)) == len(states)
    seeds = {
        (one.route_id, one.modal_stack and one.modal_stack[0]): one.metadata["entrySeed"]["url"]
        for one in states
    }
    assert seeds["/videos", "box"] == "/videos" and seeds["/team", msgspec.UNSET] == "/team"
    assert seeds["/", msgspec.UNSET] == f"{BASE}/"


@pytest.mark.requirement("DISC-11.5g")
def test_a_control_that_only_its_behaviour_tells_is_used_with_a_recorded_reason() -> None:
    card = Element("custom", "Overview", leads_to="/b", more={"source": "heuristic"})
    package, app, _ = explore(
        {"/": Page([card, Element("link", "C", href="/c")]), "/b": Page(), "/c": Page()}
    )
    assert app.pressed == ["C", "Overview"]
    reasons = {one.metadata["label"]: one.metadata.get("fallback") for one in package.transition_graph.edges}
    assert reasons["C"] is None and "no native role" in reasons["Overview"]


@pytest.mark.requirement("DISC-13.3")
@pytest.mark.requirement("DISC-8.2")
def test_each_reason_of_a_decision_is_given_by_its_own_condition() -> None:
    names = {
        "Show details": "allow safe",
        "Frob": "review unknown_side_effect",
        "Delete": "deny destructive",
        "Send invitation": "deny external_effect",
        "Pay now": "deny payment",
        "Grant access": "deny security_sensitive",
        "Save": "skip manual_only",
    }
    for name, decision in names.items():
        package, _, _ = explore({"/": Page([Element("button", name)])})
        assert list(package.metadata["decisions"]) == [decision], name
    secret = Element("textbox", "Password", more={"data_classes": ("credential",)})
    package, _, _ = explore({"/": Page([secret])})
    assert list(package.metadata["decisions"]) == ["review credential"]
    package, _, _ = explore({"/": Page([Element("button", "Show details")])}, max_depth=0)
    assert list(package.metadata["decisions"]) == ["skip budget_exceeded"]
    package, _, _ = explore({"/": Page(opaque=(("cross_origin_frame", "Pay"),))})
    assert list(package.metadata["decisions"]) == ["skip opaque_boundary"]


@pytest.mark.requirement("DISC-14.3")
def test_progress_has_seed_route_state_and_five_counters_that_grow() -> None:
    save = Element("button", "Save", scope="f", more={"affordances": ("read", "activate", "submit")})
    pages = {
        **SHOP,
        "/team": Page([Element("textbox", "Name", scope="f"), save], (Scope("f", "form", "Team"),)),
    }
    _, _, run = explore(pages, seeds=(UrlSeed(url="/team"),))
    reports = [msgspec.to_builtins(one.payload) for one in run.commands if isinstance(one, commands.Report)]
    assert {"kind": "url", "url": "/team"} in [one.get("currentSeed") for one in reports]
    placed = [one for one in reports if one["status"] == "exploring" and "currentStateId" in one]
    assert placed and all({"currentRouteId", "currentSeed"} <= set(one) for one in placed)
    for counter in (
        "visitedStates", "visitedTransitions", "discoveredRoutes", "discoveredActions", "discoveredWorkflowCandidates",
    ):  # fmt: skip
        counts = [one[counter] for one in reports]
        assert counts == sorted(counts) and counts[0] == 0 < counts[-1], counter


@pytest.mark.requirement("DISC-11.6")
def test_an_edge_has_source_target_action_arguments_side_effect_and_confidence() -> None:
    pages = {"/": Page([Element("textbox", "Title", scope="f")], (Scope("f", "form", "New"),))}
    package, _, _ = explore(pages, "sandbox_write")
    (edge,) = [msgspec.to_builtins(one) for one in package.transition_graph.edges]
    assert edge["args"] == {"text": "Discovery sample"} and edge["sideEffectClass"] == "draft"
    assert edge["viaActionId"] == "ui.enterText" and edge["fromStateId"] == edge["toStateId"] == "st_1"
    assert edge["target"]["name"] == "Title" and edge["observedSignals"] and edge["confidence"]


@pytest.mark.requirement("DISC-11.6b")
def test_a_recorded_transition_can_be_done_again() -> None:
    package, _, _ = explore(SHOP)
    graph = package.transition_graph
    states = {one.state_id: one for one in graph.states}
    from_address = [one for one in graph.edges if not states[one.from_state_id].metadata["depth"]]
    assert len(from_address) > 5
    for edge in from_address:
        app = SimulatedApp(SHOP)
        assert app.load(states[edge.from_state_id].metadata["url"])
        found = gather(GraphStore(app.observe().graph), ActionTarget(ref=edge.target)).candidates
        assert found, edge.metadata["label"]
        app.press(found[0].element.instance_id)
        assert fingerprint(GraphStore(app.observe().graph)).digest == states[edge.to_state_id].fingerprint
