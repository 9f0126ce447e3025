"""The review queue: each obligation of the specification makes its item."""

from __future__ import annotations

import pytest

from tests.discovery.package.test_package import FORM, SUBMIT, descriptions, kinds
from tests.discovery.shop import NAV, NAV_SCOPE, SHOP
from tests.discovery.simulated_app import Element, Page, Scope, explore
from uiap.spec.capability import RouteChanged
from uiap.spec.discovery import ReviewItem, UrlSeed


@pytest.mark.requirement("DISC-16")
def test_several_equally_plausible_targets() -> None:
    package, _, _ = explore({"/": Page([Element("button", "Go on"), Element("button", "Go on")])})
    assert descriptions(package, "ambiguous_target")


@pytest.mark.requirement("DISC-16")
def test_an_important_action_known_by_heuristics_only() -> None:
    package, _, _ = explore({"/": Page([Element("button", "Save")])})
    assert any("Save" in text or "save" in text for text in descriptions(package, "inferred_only"))


@pytest.mark.requirement("DISC-16", "DISC-12.2", "DISC-12.5", "DISC-2.5", "DISC-12.6")
def test_a_boundary_that_blocks() -> None:
    page = Page(opaque=(("cross_origin_frame", "Pay"), ("closed_shadow", "Chat"), ("canvas", "Editor")))
    package, _, _ = explore({"/": page})
    assert {"opaque_frame", "closed_shadow", "inferred_only"} <= kinds(package)
    assert package.coverage.opaque_regions == 3
    (state,) = package.transition_graph.states
    assert state.confidence == "low" and state.metadata["visionAssisted"]  # a canvas is only pixels


@pytest.mark.requirement("DISC-16")
def test_a_workflow_without_clean_success_signals() -> None:
    page = Page(
        [
            Element("textbox", "Name", scope="make.form"),
            Element("button", "Send", scope="make.form", more=SUBMIT),
        ],
        (FORM,),
    )
    package, _, _ = explore({"/": page})
    assert descriptions(package, "workflow_uncertain")


@pytest.mark.requirement("DISC-16")
def test_a_route_without_stable_identity() -> None:
    package, _, _ = explore({"/": Page(title="Home")})
    assert any("route `/`" in text for text in descriptions(package, "missing_stable_id"))
    package, _, _ = explore({"/": Page(title="Home", route="home")})
    assert not any("route" in text for text in descriptions(package, "missing_stable_id"))


@pytest.mark.requirement("DISC-16")
def test_a_flow_near_security_or_billing() -> None:
    secret = Element("textbox", "Password", more={"data_classes": ("credential",)})
    package, app, _ = explore({"/": Page([secret, Element("button", "Pay now")])})
    touched = [text for text in descriptions(package, "unsafe_action_candidate") if "touches" in text]
    assert len(touched) == 2 and app.pressed == []


@pytest.mark.requirement("DISC-16")
def test_semantics_that_contradict_behaviour() -> None:
    pages = {
        "/": Page([Element("link", "Prices", href="/prices", leads_to="/team")]),
        "/team": Page(),
        "/prices": Page(),
    }
    package, _, _ = explore(pages)
    assert any("contradiction" in text and "/prices" in text for text in descriptions(package, "custom"))


KINDS: dict[str, Page] = {
    "missing_stable_id": Page([Element("button", "Save")]),
    "duplicate_name": Page(
        [Element("button", "Show", scope="a"), Element("button", "Show", scope="b")],
        (Scope("a", "region", "A"), Scope("b", "region", "B")),
    ),
    "ambiguous_target": Page([Element("button", "Show"), Element("button", "Show")]),
    "opaque_frame": Page(opaque=(("cross_origin_frame", "Pay"),)),
    "closed_shadow": Page(opaque=(("closed_shadow", "Chat"),)),
    "missing_success_signal": Page([Element("button", "Show details")]),
    "unsafe_action_candidate": Page([Element("button", "Delete account")]),
    "inferred_only": Page([Element("button", "Save")]),
    "coverage_gap": Page([Element("link", "Away", href="/missing")]),
    "workflow_uncertain": Page(
        [
            Element("textbox", "Name", scope="make.form"),
            Element("button", "Send", scope="make.form", more=SUBMIT),
        ],
        (FORM,),
    ),
}


@pytest.mark.requirement("DISC-6.8")
def test_each_kind_of_item_has_its_own_condition() -> None:
    empty, _, _ = explore({"/": Page(title="Home", route="home")})
    assert not kinds(empty)
    for kind, page in KINDS.items():
        package, _, _ = explore({"/": page})
        assert kind in kinds(package), kind
    apart, _, _ = explore({"/": KINDS["duplicate_name"]})
    assert "ambiguous_target" not in kinds(apart)
    assert "duplicate_name" not in kinds(explore({"/": KINDS["ambiguous_target"]})[0])


@pytest.mark.requirement("DISC-6.8b")
def test_the_severity_follows_the_risk_and_every_item_says_what_to_do() -> None:
    names = ("Show details", "Save", "Delete account")
    package, _, _ = explore(
        {**SHOP, "/": Page([*NAV, *(Element("button", name) for name in names)], (NAV_SCOPE,))}
    )
    items = package.review_queue.items
    index = {one.ref_id for one in package.evidence_index.items}
    assert all(one.remediation and len(one.remediation) > 10 for one in items)
    assert all(ref.ref_id in index for one in items for ref in one.evidence)
    severities = {
        name: max((one.severity for one in items if is_about(one, name)), key=["low", "medium", "high"].index)
        for name in names
    }
    assert severities == {"Show details": "low", "Save": "medium", "Delete account": "high"}


def is_about(item: ReviewItem, name: str) -> bool:
    return f"`{name}`" in item.description or f".{name.lower().replace(' ', '-')}`" in item.description


@pytest.mark.requirement("DISC-6.5c")
def test_the_review_state_follows_evidence_and_risk() -> None:
    done = {
        "success": (RouteChanged(pattern="/done"),),
        "default_action": "report.view",
        "stable_id": "report.view",
    }
    page = Page(
        [
            Element("button", "Delete account"),
            Element("button", "Frob", more={"default_action": "x.frob"}),
            Element("button", "View report", leads_to="/done", more=done),
        ]
    )
    package, _, _ = explore({"/": page, "/done": Page(title="Done")})
    states = {one.id: one.review_state for one in package.action_catalog.actions if one.kind != "primitive"}
    assert states == {
        "candidate.root.delete-account": "unsafe",
        "x.frob": "needs_review",
        "report.view": "candidate",
    }
    elements = {one.names[0]: one.review_state for one in package.element_catalog.elements if one.names}
    assert elements == {"Delete account": "needs_review", "Frob": "needs_review", "View report": "candidate"}


@pytest.mark.requirement("DISC-5")
def test_every_main_area_is_visited_or_reported_as_a_gap() -> None:
    areas = [
        Element("link", name, href=f"/{name.lower()}", scope="nav") for name in ("Videos", "Team", "Billing")
    ]
    pages = {"/": Page(areas, (NAV_SCOPE,))} | {
        f"/{name}": Page([*areas, Element("tab", name)], (NAV_SCOPE,), name)
        for name in ("videos", "team", "billing")
    }
    whole, _, _ = explore(pages)
    assert {one.route_id for one in whole.route_catalog.routes} == {"/", "/videos", "/team", "/billing"}
    assert not [text for text in descriptions(whole, "coverage_gap") if "not visited" in text]
    short, _, _ = explore(pages, max_states=2)
    visited = {one.route_id for one in short.route_catalog.routes}
    told = {text.split("`")[3] for text in descriptions(short, "coverage_gap") if "not visited" in text}
    assert visited | told == {"/", "/videos", "/team", "/billing"} and len(told) == 2


@pytest.mark.requirement("DISC-17.3")
def test_the_minimum_scope_holds_on_an_application_without_any_annotation() -> None:
    plain = Scope("nav", "region", "Main", annotated=False)
    links = [Element("link", name, href=f"/{name.lower()}", scope="nav") for name in ("Videos", "Team")]
    pages = {
        "/": Page(links, (plain,), "Home", opaque=(("cross_origin_frame", "Pay"),)),
        "/videos": Page([*links, Element("button", "Save")], (plain,), "Videos"),
        "/team": Page([*links, Element("button", "Show details")], (plain,), "Team"),
    }
    package, _, run = explore(pages, seeds=(UrlSeed(url="/team"),))
    graph = package.transition_graph
    assert run.machine.status == "completed" and package.run.seeds
    seeds = {one.metadata.get("seed") for one in graph.states} - {None}
    assert len(seeds) == len(package.run.seeds) == package.coverage.seeds_visited
    assert len(graph.states) == 3 < len([one for one in run.events if getattr(one, "observed", None)])
    assert package.route_catalog.routes and package.scope_catalog.scopes and package.element_catalog.elements
    assert {one.kind for one in package.action_catalog.actions} == {"primitive", "candidate"}
    assert graph.edges and package.review_queue.items and package.coverage.opaque_regions == 1
    sources = {ref.source for one in package.element_catalog.elements for ref in one.discovered_by}
    assert "annotation" not in sources
