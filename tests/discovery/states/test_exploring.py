"""Reaching a known address: by a visible link to it, else by loading it."""

from __future__ import annotations

import pytest

from tests.discovery.shop import NAV, NAV_SCOPE, SHOP, comparable, route_ids
from tests.discovery.simulated_app import (
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands, events
from uiap.spec.discovery import UrlSeed

SEEDS = (UrlSeed(url="/videos"), UrlSeed(url="/team"))


def loads(run: SimulatedRun) -> list[str]:
    return [one.url for one in run.commands if isinstance(one, commands.Load)]


@pytest.mark.requirement("DISC-11.2a")
def test_a_seed_is_reached_by_a_visible_link_and_is_an_initial_state() -> None:
    package, app, run = explore(SHOP, seeds=SEEDS)
    assert loads(run) == ["http://app.test/"]
    assert app.pressed[:2] == ["Videos", "Team"]
    initial = {one.metadata["url"] for one in package.transition_graph.states if one.metadata} & {
        "http://app.test/videos",
        "http://app.test/team",
    }
    assert len(initial) == 2 and package.coverage.seeds_visited == package.coverage.seeds_total


def test_the_findings_are_the_same_by_link_and_by_address() -> None:
    by_link, _, run = explore(SHOP, seeds=SEEDS)
    app = SimulatedApp(SHOP)
    apart = SimulatedRun(app, environment(), seeds=SEEDS)
    apart.machine._state.links_trusted = False
    by_address = apart.complete()
    assert loads(run) != loads(apart)
    keys = [{one.semantic_key for one in found.element_catalog.elements} for found in (by_link, by_address)]
    assert keys[0] == keys[1]
    prints = [[one.fingerprint for one in found.transition_graph.states] for found in (by_link, by_address)]
    assert prints[0] == prints[1]


@pytest.mark.requirement("DISC-11.6")
def test_the_link_to_a_seed_is_a_transition() -> None:
    package = explore(SHOP, seeds=SEEDS)[0]
    names = {one.state_id: one.route_id for one in package.transition_graph.states}
    ways = {(names[one.from_state_id], names[one.to_state_id]) for one in package.transition_graph.edges[:2]}
    assert ways == {("/", "/videos"), ("/videos", "/team")}


def test_after_a_link_that_leads_elsewhere_seeds_are_loaded_by_address() -> None:
    wrong_link = [Element("link", "Videos", href="/videos", leads_to="/", scope="nav"), *NAV[2:]]
    pages = {**SHOP, "/": Page(wrong_link, (NAV_SCOPE,), "Home")}
    package, app, run = explore(pages, seeds=SEEDS)
    assert loads(run)[:3] == [f"http://app.test{path}" for path in ("/", "/videos", "/team")]
    assert app.pressed[0] == "Videos" and {"/videos", "/team"} <= route_ids(package)


def test_a_link_behind_a_dialog_is_not_activated() -> None:
    box = Scope("box", "dialog", "Welcome", modal=True)
    pages = {**SHOP, "/": Page([*NAV, Element("button", "Close", scope="box")], (NAV_SCOPE, box), "Home")}
    _, app, run = explore(pages, seeds=SEEDS)
    assert loads(run)[:2] == ["http://app.test/", "http://app.test/videos"]
    assert app.pressed[:1] != ["Videos"]


@pytest.mark.requirement("DISC-8.2", "DISC-8.4")
def test_a_link_that_is_not_allowed_is_not_used_to_reach_a_seed() -> None:
    pages = {**SHOP, "/": Page([Element("link", "Delete all", href="/team")], (), "Home")}
    _, app, run = explore(pages, seeds=(UrlSeed(url="/team"),))
    assert loads(run)[:2] == ["http://app.test/", "http://app.test/team"]
    assert "Delete all" not in app.pressed


@pytest.mark.parametrize("after", range(2, 8))
def test_a_run_killed_while_it_follows_links_to_seeds_resumes_to_the_same_package(after: int) -> None:
    whole = explore(SHOP, seeds=SEEDS)[0]
    first = SimulatedRun(SimulatedApp(SHOP), environment(), seeds=SEEDS)
    assert first.carry_out(first.send(events.Started(at=first.now())), limit=after)
    second = SimulatedRun(SimulatedApp(SHOP), environment(), seeds=SEEDS)
    for event in first.events:
        second.machine.handle(event)
    second.mono = first.mono
    second.carry_out(second.send(events.Interrupted(at=second.now())))
    assert comparable(second.final_package()) == comparable(whole)
