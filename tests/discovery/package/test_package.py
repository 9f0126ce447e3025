"""The package of a run: catalogs, evidence, confidence and the review queue."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
import msgspec
import pytest

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import Element, Page, Scope, explore
from uiap.discovery.package.catalog import primitives
from uiap.spec.capability import RiskDescriptor, RouteChanged
from uiap.spec.discovery import CONFIDENCES, EVIDENCE_SOURCES, DiscoveryPackage

SUBMIT: dict[str, Any] = {"affordances": ("read", "focus", "activate", "submit")}
FORM = Scope("make.form", "form", "New video")
MADE: dict[str, Any] = {
    **SUBMIT,
    "stable_id": "make.submit",
    "default_action": "video.create",
    "success": (RouteChanged(pattern="/videos/:id"),),
}


def kinds(package: DiscoveryPackage) -> set[str]:
    return {one.kind for one in package.review_queue.items}


def descriptions(package: DiscoveryPackage, kind: str) -> list[str]:
    return [one.description for one in package.review_queue.items if one.kind == kind]


@pytest.mark.requirement("DISC-6")
def test_a_package_is_valid_and_complete() -> None:
    package, _, _ = explore(SHOP)
    data = msgspec.json.encode(package)
    assert msgspec.json.decode(data, type=DiscoveryPackage) == package
    schema = msgspec.json.schema(DiscoveryPackage)
    jsonschema_rs.validator_for(schema).validate(msgspec.json.decode(data))
    covered = package.coverage
    assert covered.routes_discovered == len(package.route_catalog.routes) > 0
    assert covered.elements_discovered == len(package.element_catalog.elements) > 0
    assert covered.review_items == len(package.review_queue.items) > 0
    assert package.environment.safety is not msgspec.UNSET
    assert set(msgspec.json.decode(data)) == {
        "modelVersion", "spec", "run", "environment", "routeCatalog", "scopeCatalog", "elementCatalog",
        "actionCatalog", "transitionGraph", "workflowCandidates", "reviewQueue", "coverage", "evidenceIndex",
        "metadata",
    }  # fmt: skip


@pytest.mark.requirement("DISC-2.2", "DISC-7")
def test_every_finding_has_evidence_in_the_index_and_a_confidence() -> None:
    package, _, _ = explore(SHOP)
    plain = msgspec.to_builtins(package)
    index = {one["refId"] for one in plain["evidenceIndex"]["items"]}
    found = [
        *plain["routeCatalog"]["routes"],
        *plain["scopeCatalog"]["scopes"],
        *plain["elementCatalog"]["elements"],
        *plain["actionCatalog"]["actions"],
        *plain["transitionGraph"]["states"],
        *plain["transitionGraph"]["edges"],
    ]
    for one in found:
        assert one["discoveredBy"] and one["confidence"] in CONFIDENCES
        assert all(ref["source"] in EVIDENCE_SOURCES for ref in one["discoveredBy"])
        known = [ref["refId"] for ref in one["discoveredBy"] if ref["source"] in ("transition", "dom")]
        assert all(ref in index or ref.startswith(("scope:", "st_")) for ref in known)
    states = [one for one in plain["evidenceIndex"]["items"] if one["kind"] == "page_graph"]
    assert len(states) == len(plain["transitionGraph"]["states"])
    assert all(one["digest"].startswith("sha256:") and one["uri"].startswith("evidence/") for one in states)


@pytest.mark.requirement("DISC-7")
def test_confidence_follows_the_evidence() -> None:
    pages = {
        "/": Page(
            [
                Element("link", "Named", href="/a", more={"stable_id": "nav.a"}),
                Element("link", "B", href="/b"),
            ],
            route="home",
        ),
        "/a": Page(title="A"),
        "/b": Page(title="B"),
    }
    package, _, _ = explore(pages)
    by_id = {one.route_id: one.confidence for one in package.route_catalog.routes}
    assert by_id["home"] == "high" and by_id["/a"] == "medium"
    elements = {one.semantic_key: one.confidence for one in package.element_catalog.elements}
    assert elements["nav.a"] == "high" and set(elements.values()) == {"high", "medium"}


@pytest.mark.requirement("DISC-11.4")
def test_annotations_precede_markup_and_markup_precedes_inference() -> None:
    elements = [
        Element("link", "Known", href="/a", more={"stable_id": "nav.a", "source": "aria", "meaning": "go.a"}),
        Element("button", "Plain"),
        Element("button", "Said", more={"source": "aria"}),
        Element("button", "Guessed", more={"source": "heuristic"}),
    ]
    package, _, _ = explore({"/": Page(elements), "/a": Page()})
    first = {(one.names or ("",))[0]: one.discovered_by[0].source for one in package.element_catalog.elements}
    assert first == {"Known": "annotation", "Plain": "dom", "Said": "dom", "Guessed": "inferred"}
    guessed = next(one for one in package.element_catalog.elements if one.names == ("Guessed",))
    assert guessed.confidence == "low" and guessed.review_state == "needs_review"


@pytest.mark.requirement("DISC-6.4")
def test_semantic_keys_do_not_depend_on_the_order_of_exploration() -> None:
    one, _, _ = explore(SHOP)
    other, _, _ = explore(SHOP, max_depth=3)
    keys = [{e.semantic_key for e in package.element_catalog.elements} for package in (one, other)]
    assert keys[0] == keys[1]
    assert "*|nav|link|home" in keys[0] and "/videos|list|record link|/videos/:id" in keys[0]


@pytest.mark.requirement("DISC-15.4")
@pytest.mark.parametrize(
    ("role", "affordances", "actions"),
    [
        ("button", ("read", "focus", "activate"), ("ui.activate",)),
        ("textbox", ("read", "focus", "edit"), ("ui.enterText", "ui.clearText")),
        ("checkbox", ("read", "focus", "toggle"), ("ui.toggle",)),
        (
            "combobox",
            ("read", "focus", "choose", "expand", "collapse"),
            ("ui.choose", "ui.expand", "ui.collapse"),
        ),
        ("form", ("read", "submit"), ("ui.submit",)),
        ("link", ("read", "focus", "activate", "navigate"), ("ui.activate", "nav.navigate")),
    ],
)
def test_each_affordance_has_its_primitive_actions(
    role: Any, affordances: Any, actions: tuple[str, ...]
) -> None:
    assert primitives(role, affordances) == actions
    package, _, _ = explore({"/": Page([Element(role, "One", more={"affordances": affordances})])})
    offered = {one.id for one in package.action_catalog.actions if one.kind == "primitive"}
    assert set(actions) <= offered


@pytest.mark.requirement("DISC-15.2", "DISC-15.3")
def test_scopes_and_elements_are_derived_with_their_routes() -> None:
    package, _, _ = explore(SHOP)
    scopes = {one.scope_id: one for one in package.scope_catalog.scopes}
    assert {"nav", "list", "box", "menu", "m", "r"} <= set(scopes)
    assert scopes["box"].kind == "dialog"
    assert set(scopes["nav"].route_ids or ()) == {"/", "/videos", "/videos/:id", "/team"}
    roles = {one.role for one in package.element_catalog.elements}
    assert {"link", "button", "textbox", "tab"} <= roles


@pytest.mark.requirement("DISC-15.3")
def test_interactive_elements_parameter_sources_and_messages_are_catalogued_and_plain_text_is_not() -> None:
    read: dict[str, Any] = {"affordances": ("read",)}
    elements = [
        Element("button", "Show"),
        Element("textbox", "Title"),
        Element("status", "3 found", more=read),
        Element("alert", "Offline", more=read),
        Element("label", "A sentence", more=read),
    ]
    package, _, _ = explore({"/": Page(elements)})
    roles = {one.role for one in package.element_catalog.elements}
    assert roles == {"button", "textbox", "status", "alert"}


@pytest.mark.requirement("DISC-15.5", "DISC-11.6")
def test_signals_are_derived_from_observed_changes() -> None:
    package, _, _ = explore(SHOP)
    seen = {
        edge.metadata["label"]: [s.kind for s in edge.observed_signals or ()]
        for edge in package.transition_graph.edges
    }
    assert seen["Videos"] == ["route.changed"]
    assert seen["Quick"] == ["dialog.opened"] and seen["Close"] == ["dialog.closed"]
    assert "element.appeared" in seen["Members"]
    assert {"fromStateId", "toStateId", "viaActionId", "target"} <= set(
        msgspec.to_builtins(package.transition_graph.edges[0])
    )


@pytest.mark.requirement("DISC-11.7")
def test_a_form_becomes_a_workflow_candidate_without_being_submitted() -> None:
    fields = [
        Element(
            "textbox", "Title", scope="make.form", state={"required": True}, more={"meaning": "video.title"}
        ),
        Element("checkbox", "Notify", scope="make.form"),
        Element("button", "Create", scope="make.form", more=MADE),
    ]
    package, app, _ = explore({"/": Page(fields, (FORM,), route="videos.new")})
    assert app.pressed == []
    assert package.workflow_candidates is not msgspec.UNSET
    (flow,) = package.workflow_candidates.workflows
    assert flow.id == "candidate.videos-new.video-create" and flow.review_state == "needs_review"
    first = (flow.required_inputs or ())[0]
    assert (first.name, first.type, first.required) == ("video_title", "string", True)
    assert [step.type for step in flow.step_skeleton] == [
        "action",
        "action",
        "action",
        "action",
        "ensure",
        "complete",
    ]
    action = next(one for one in package.action_catalog.actions if one.id == "video.create")
    assert action.kind == "domain" and [arg.name for arg in action.args or ()] == ["video_title", "notify"]


@pytest.mark.requirement("DISC-15.5")
def test_an_action_without_a_signal_is_a_review_item() -> None:
    risk = RiskDescriptor(level="confirm", tags=("destructive",))
    package, _, _ = explore(
        {"/": Page([Element("button", "Delete", more={"risk": risk, "default_action": "x.delete"})])}
    )
    assert any("x.delete" in text for text in descriptions(package, "missing_success_signal"))


def test_missing_names_and_roles_are_accessibility_findings() -> None:
    package, _, _ = explore({"/": Page([Element("button", ""), Element("custom", "Card")])})
    found = [text for text in descriptions(package, "custom") if text.startswith("accessibility")]
    assert len(found) == 2


@pytest.mark.requirement("DISC-SEC.4")
def test_a_package_requires_a_review() -> None:
    package, _, _ = explore(SHOP)
    assert package.metadata["reviewRequired"] is True
    assert all(one.review_state != "verified" for one in package.action_catalog.actions)
