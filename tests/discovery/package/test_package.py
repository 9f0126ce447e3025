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
from uiap.spec.web import ElementNode, WebElementState

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
    assert first == {"Known": "annotation", "Plain": "dom", "Said": "accessibility", "Guessed": "inferred"}
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
    node = ElementNode(
        instance_id="e1", document_id="d", role=role, state=WebElementState(), affordances=affordances
    )
    assert primitives(node) == actions


@pytest.mark.requirement("DISC-15.2", "DISC-15.3")
def test_scopes_and_elements_are_derived_with_their_routes() -> None:
    package, _, _ = explore(SHOP)
    scopes = {one.scope_id: one for one in package.scope_catalog.scopes}
    assert {"nav", "list", "box", "menu", "m", "r"} <= set(scopes)
    assert scopes["box"].kind == "dialog"
    assert set(scopes["nav"].route_ids or ()) == {"/", "/videos", "/videos/:id", "/team"}
    roles = {one.role for one in package.element_catalog.elements}
    assert {"link", "button", "textbox", "tab"} <= roles


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


class TestReviewObligations:
    """Each of the seven obligations of DISC-16 makes a review item."""

    pytestmark = pytest.mark.requirement("DISC-16")

    def test_several_equally_plausible_targets(self) -> None:
        package, _, _ = explore({"/": Page([Element("button", "Go on"), Element("button", "Go on")])})
        assert descriptions(package, "ambiguous_target")

    def test_an_important_action_known_by_heuristics_only(self) -> None:
        package, _, _ = explore({"/": Page([Element("button", "Save")])})
        assert any("Save" in text or "save" in text for text in descriptions(package, "inferred_only"))

    @pytest.mark.requirement("DISC-12.2", "DISC-12.5", "DISC-2.5", "DISC-12.6")
    def test_a_boundary_that_blocks(self) -> None:
        page = Page(opaque=(("cross_origin_frame", "Pay"), ("closed_shadow", "Chat"), ("canvas", "Editor")))
        package, _, _ = explore({"/": page})
        assert {"opaque_frame", "closed_shadow", "inferred_only"} <= kinds(package)
        assert package.coverage.opaque_regions == 3
        assert package.transition_graph.states[0].confidence == "low"  # a canvas is only pixels

    def test_a_workflow_without_clean_success_signals(self) -> None:
        page = Page(
            [
                Element("textbox", "Name", scope="make.form"),
                Element("button", "Send", scope="make.form", more=SUBMIT),
            ],
            (FORM,),
        )
        package, _, _ = explore({"/": page})
        assert descriptions(package, "workflow_uncertain")

    def test_a_route_without_stable_identity(self) -> None:
        package, _, _ = explore({"/": Page(title="Home")})
        assert any("route `/`" in text for text in descriptions(package, "missing_stable_id"))
        package, _, _ = explore({"/": Page(title="Home", route="home")})
        assert not any("route" in text for text in descriptions(package, "missing_stable_id"))

    def test_a_flow_near_security_or_billing(self) -> None:
        secret = Element("textbox", "Password", more={"data_classes": ("credential",)})
        package, app, _ = explore({"/": Page([secret, Element("button", "Pay now")])})
        touched = [text for text in descriptions(package, "unsafe_action_candidate") if "touches" in text]
        assert len(touched) == 2 and app.pressed == []

    def test_semantics_that_contradict_behaviour(self) -> None:
        pages = {
            "/": Page([Element("link", "Prices", href="/prices", leads_to="/team")]),
            "/team": Page(),
            "/prices": Page(),
        }
        package, _, _ = explore(pages)
        assert any("contradiction" in text and "/prices" in text for text in descriptions(package, "custom"))


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
