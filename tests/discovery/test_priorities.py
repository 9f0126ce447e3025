from __future__ import annotations

import pytest

from tests.discovery.world import BASE, El, Page, Part, World, discovered
from uiap.discovery.knowledge.candidates import find_element, read_candidates
from uiap.discovery.knowledge.states import state_shape
from uiap.discovery.plan.address import AllowedOrigins
from uiap.graph.fingerprint import fingerprint
from uiap.graph.store import GraphStore

HERE = AllowedOrigins.of(BASE)


def store(*elements: El, parts: tuple[Part, ...] = (), url: str = BASE + "/", title: str = "") -> GraphStore:
    world = World({"/": Page(elements, parts, title), "/x/:id": Page(elements, parts, title)})
    world.url = url
    return GraphStore(world.graph())


@pytest.mark.requirement("DISC-11.5a", "DISC-2.4")
def test_what_promises_most_is_tried_first() -> None:
    page = Page(
        [
            El("button", "Show details"),
            El("button", "Panel", opens="p", state={"expanded": False}),
            El("link", "Videos", href="/v"),
            El("button", "View report", more={"default_action": "report.view"}),
        ],
        (Part("p", "region", "Panel", hidden=True),),
    )
    _, world, _ = discovered({"/": page, "/v": Page(title="V")})
    assert world.pressed == ["View report", "Videos", "Panel", "Show details"]


@pytest.mark.requirement("DISC-11.5b")
def test_what_cannot_be_used_is_no_candidate() -> None:
    found = read_candidates(
        store(
            El("button", "Show", state={"blocked": True}),
            El("link", "Here", href="/", state={"current": "page"}),
            El("tab", "Chosen", state={"selected": True}),
            El("button", "Close"),
        ),
        HERE,
    )
    assert [one.label for one in found] == ["Close"]


def test_with_a_dialog_open_only_what_is_in_it_can_be_used() -> None:
    box = Part("box", "dialog", "Sure?", modal=True)
    found = read_candidates(
        store(El("link", "Away", href="/a"), El("button", "Close", scope="box"), parts=(box,)), HERE
    )
    assert [one.label for one in found] == ["Close"]


@pytest.mark.requirement("DISC-11.5c")
def test_a_step_is_found_again_by_stable_id_and_by_role_name_and_scope() -> None:
    before = store(El("button", "Close"), El("button", "Show", more={"stable_id": "x.show"}))
    after = store(
        El("link", "New", href="/n"),
        El("button", "Zeigen", more={"stable_id": "x.show"}),
        El("button", "Close"),
    )
    by_label = {one.label: one.step for one in read_candidates(before, HERE)}
    assert (found := find_element(after, by_label["Show"])) is not None and found.name == "Zeigen"
    assert (found := find_element(after, by_label["Close"])) is not None and found.name == "Close"


@pytest.mark.requirement("DISC-11.3a", "DISC-11.3b")
def test_states_that_offer_the_same_are_one_and_those_that_do_not_are_not() -> None:
    rows = [El("link", f"Row {n}", href=f"/x/{n}", record=f"data-id:{n}") for n in range(3)]
    more = [El("link", f"Row {n}", href=f"/x/{n}", record=f"data-id:{n}") for n in range(9)]
    assert state_shape(store(*rows)) == state_shape(store(*more))
    assert state_shape(store(El("tab", "A"))) != state_shape(store(El("tab", "A", state={"selected": True})))
    one, other = store(url=BASE + "/x/1", title="One"), store(url=BASE + "/x/2", title="Two")
    assert fingerprint(one).digest == fingerprint(other).digest


def test_each_link_of_a_record_leads_somewhere_else_and_is_followed_once() -> None:
    rows = [
        El("link", text, href=href, scope="list", record=f"data-id:{n}")
        for n in range(1, 5)
        for text, href in ((f"Row {n}", f"/rows/{n}"), (f"Owner {n}", f"/owners/{n}"))
    ]
    pages = {
        "/": Page(rows, (Part("list", "list", "Rows"),)),
        "/rows/:id": Page([El("link", "Home", href="/")], title="Row"),
        "/owners/:id": Page([El("link", "Home", href="/")], title="Owner"),
    }
    package, _, _ = discovered(pages)
    assert {one.route_id for one in package.route_catalog.routes} == {"/", "/rows/:id", "/owners/:id"}
