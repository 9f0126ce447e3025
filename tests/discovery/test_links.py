"""Going to a known address: by a link that shows where one leads there, else by loading it."""

from __future__ import annotations

import pytest

from tests.discovery.test_machine import NAV, NAV_PART, SHOP, plain, routes
from tests.discovery.world import El, Journey, Page, Part, World, asked, discovered
from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.spec.discovery import UrlSeed

SEEDS = (UrlSeed(url="/videos"), UrlSeed(url="/team"))


def loads(journey: Journey) -> list[str]:
    return [one.url for one in journey.commands if isinstance(one, do.Load)]


@pytest.mark.requirement("DISC-11.2a")
def test_a_seed_that_a_shown_link_leads_to_is_reached_by_it_and_is_an_initial_state() -> None:
    package, world, journey = discovered(SHOP, seeds=SEEDS)
    assert loads(journey) == ["http://app.test/"]
    assert world.pressed[:2] == ["Videos", "Team"]
    initial = {one.metadata["url"] for one in package.transition_graph.states if one.metadata} & {
        "http://app.test/videos",
        "http://app.test/team",
    }
    assert len(initial) == 2 and package.coverage.seeds_visited == package.coverage.seeds_total


def test_what_is_found_does_not_depend_on_how_it_was_gone_to() -> None:
    by_link, _, journey = discovered(SHOP, seeds=SEEDS)
    world = World(SHOP)
    apart = Journey(world, asked(), seeds=SEEDS)
    apart.run._state.links_trusted = False
    by_address = apart.go()
    assert loads(journey) != loads(apart)
    keys = [{one.semantic_key for one in found.element_catalog.elements} for found in (by_link, by_address)]
    assert keys[0] == keys[1]
    prints = [[one.fingerprint for one in found.transition_graph.states] for found in (by_link, by_address)]
    assert prints[0] == prints[1]


@pytest.mark.requirement("DISC-11.6")
def test_the_link_that_led_to_a_seed_is_a_transition() -> None:
    package = discovered(SHOP, seeds=SEEDS)[0]
    names = {one.state_id: one.route_id for one in package.transition_graph.states}
    ways = {(names[one.from_state_id], names[one.to_state_id]) for one in package.transition_graph.edges[:2]}
    assert ways == {("/", "/videos"), ("/videos", "/team")}


def test_a_link_that_leads_elsewhere_is_made_good_by_the_address_and_no_other_is_trusted() -> None:
    crooked = [El("link", "Videos", href="/videos", to="/", scope="nav"), *NAV[2:]]
    pages = {**SHOP, "/": Page(crooked, (NAV_PART,), "Home")}
    package, world, journey = discovered(pages, seeds=SEEDS)
    assert loads(journey)[:3] == [f"http://app.test{path}" for path in ("/", "/videos", "/team")]
    assert world.pressed[0] == "Videos" and {"/videos", "/team"} <= routes(package)


def test_a_link_behind_a_dialog_is_not_pressed() -> None:
    box = Part("box", "dialog", "Welcome", modal=True)
    pages = {**SHOP, "/": Page([*NAV, El("button", "Close", scope="box")], (NAV_PART, box), "Home")}
    _, world, journey = discovered(pages, seeds=SEEDS)
    assert loads(journey)[:2] == ["http://app.test/", "http://app.test/videos"]
    assert not world.pressed or world.pressed[0] != "Videos"


@pytest.mark.requirement("DISC-8.2", "DISC-8.4")
def test_a_link_that_may_not_be_pressed_is_not_pressed_to_come_to_a_seed() -> None:
    pages = {**SHOP, "/": Page([El("link", "Delete all", href="/team")], (), "Home")}
    _, world, journey = discovered(pages, seeds=(UrlSeed(url="/team"),))
    assert loads(journey)[:2] == ["http://app.test/", "http://app.test/team"]
    assert "Delete all" not in world.pressed


@pytest.mark.parametrize("after", range(2, 8))
def test_a_run_that_was_killed_on_such_a_way_goes_on_to_the_same_package(after: int) -> None:
    whole = discovered(SHOP, seeds=SEEDS)[0]
    first = Journey(World(SHOP), asked(), seeds=SEEDS)
    assert first.steps(first.tell(when.Started(at=first.at())), limit=after)
    second = Journey(World(SHOP), asked(), seeds=SEEDS)
    for event in first.events:
        second.run.handle(event)
    second.mono = first.mono
    second.steps(second.tell(when.Interrupted(at=second.at())))
    assert plain(second.ended()) == plain(whole)
