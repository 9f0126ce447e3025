"""Workflow candidates: chains of observed transitions with their goal, inputs, signals and risk."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.package.test_package import SUBMIT, descriptions
from tests.discovery.simulated_app import (
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery.package.goals import category_of
from uiap.spec.capability import RouteChanged
from uiap.spec.discovery import DiscoveredWorkflowCandidate, EvidenceRef, WorkflowSeed, WorkflowStepSkeleton

FORM = Scope("form", "form", "New video")
FIELDS = [
    Element("textbox", "Title", scope="form", state={"required": True}),
    Element("checkbox", "Notify", scope="form"),
    Element("spinbutton", "Length", scope="form", more={"affordances": ("read", "edit")}),
]
CREATE: dict[str, Any] = {**SUBMIT, "success": (RouteChanged(pattern="/videos/:id"),), "stable_id": "create"}
SITE = {
    "/": Page([Element("link", "Videos", href="/videos")], title="Home"),
    "/videos": Page([Element("link", "New", href="/videos/new")], title="Videos"),
    "/videos/new": Page(
        [*FIELDS, Element("button", "Create video", scope="form", more=CREATE)], (FORM,), "New"
    ),
}


def only(package: Any) -> DiscoveredWorkflowCandidate:
    (found,) = package.workflow_candidates.workflows
    return found


@pytest.mark.requirement("DISC-11.7", "DISC-11.7b")
def test_a_chain_over_several_routes_is_one_candidate_with_its_routes_in_order() -> None:
    package, app, _ = explore(SITE)
    flow = only(package)
    assert flow.route_ids == ("/", "/videos", "/videos/new") and flow.metadata["basis"] == "chain"
    steps = [(one.type, one.action_id, getattr(one.target, "name", None)) for one in flow.step_skeleton]
    assert steps[:3] == [
        ("action", "nav.navigate", None),
        ("action", "ui.activate", "Videos"),
        ("action", "ui.activate", "New"),
    ]
    assert [one.type for one in flow.step_skeleton[-2:]] == ["ensure", "complete"]
    assert flow.title == "Create video" and flow.metadata["riskLevel"] == "confirm"
    edges = {one.transition_id for one in package.transition_graph.edges}
    chain = [ref.ref_id for ref in flow.discovered_by if ref.source == "transition"]
    assert len(chain) == 2 and set(chain) <= edges and "Create video" not in app.pressed
    alone, _, _ = explore({"/": SITE["/videos/new"]})
    assert only(alone).metadata["basis"] == "form" and only(alone).route_ids == ("/",)


@pytest.mark.requirement("DISC-11.7c")
def test_every_action_step_names_a_target_that_resolves_or_a_route_that_exists() -> None:
    package, _, _ = explore(SITE)
    routes = {one.route_id for one in package.route_catalog.routes}
    elements = package.element_catalog.elements
    steps = [one for one in only(package).step_skeleton if one.type == "action"]
    assert len(steps) == 7
    for step in steps:
        plain = msgspec.to_builtins(step.target)
        if plain["by"] == "route":
            assert step.action_id == "nav.navigate" and plain["value"] in routes
        elif plain["by"] == "stableId":
            assert plain["value"] in {one.stable_id for one in elements}
        else:
            fits = [
                one for one in elements if one.role == plain["role"] and plain["name"] in (one.names or ())
            ]
            assert len(fits) == 1 and plain["scope"] in (fits[0].scopes or ())


@pytest.mark.requirement("DISC-11.7d")
def test_a_chain_that_lacks_something_is_marked_as_uncertain() -> None:
    nameless = Element("button", "", scope="form", more=SUBMIT)
    package, _, _ = explore({**SITE, "/videos/new": Page([*FIELDS, nameless], (FORM,), "New")})
    (text,) = descriptions(package, "workflow_uncertain")
    assert "a goal" in text and "a success signal" in text and only(package).metadata["lacks"]
    whole, _, _ = explore(SITE)
    assert descriptions(whole, "workflow_uncertain") == [] and "lacks" not in only(whole).metadata
    silent = Element("button", "Frob")
    assert explore({**SITE, "/videos/new": Page([silent])})[0].workflow_candidates.workflows == ()


@pytest.mark.requirement("DISC-11.7e", "DISC-11.1d")
def test_catalogs_chains_documents_forms_and_marked_flows_are_sources_that_a_candidate_names() -> None:
    known = DiscoveredWorkflowCandidate(
        id="video.archive",
        title="Archive videos",
        step_skeleton=(WorkflowStepSkeleton(type="complete"),),
        discovered_by=(EvidenceRef(source="inferred", ref_id="x"),),
        confidence="medium",
    )
    run = SimulatedRun(
        SimulatedApp(SITE),
        environment(),
        seeds=(WorkflowSeed(workflow_id="video.archive"),),
        documents={"guide": "To start, open New and choose Create video."},
        catalog=(known,),
        workflows={"video.archive": ("/videos",)},
    )
    flows = {one.id: one for one in run.complete().workflow_candidates.workflows}
    sources = {id: [ref.source for ref in one.discovered_by] for id, one in flows.items()}
    assert sources == {
        "candidate.videos-new.create": ["annotation", "transition", "dom", "documentation"],
        "video.archive": ["app_registry", "manual_review"],
    }
    assert flows["video.archive"].metadata["basis"] == "catalog"


@pytest.mark.requirement("DISC-11.7f")
def test_inputs_have_type_and_required_flag_and_the_category_fits_the_goal() -> None:
    flow = only(explore(SITE)[0])
    inputs = [(one.name, one.type, one.required is True) for one in flow.required_inputs or ()]
    assert inputs == [("title", "string", True), ("notify", "boolean", False), ("length", "number", False)]
    assert flow.category == "task"
    goals = {
        "Sign in": "onboarding",
        "Save settings": "setup",
        "Contact us": "support",
        "Reset password": "recovery",
        "Create video": "task",
    }
    assert {goal: category_of(goal, "") for goal in goals} == goals
    assert category_of("Save", "form.notification-settings") == "setup"


@pytest.mark.requirement("DISC-13.4")
def test_a_workflow_whose_risky_last_step_was_not_executed_is_marked_as_observed_only() -> None:
    pages = {**SITE, "/videos/new": Page([Element("button", "Delete everything")], title="Danger")}
    package, app, _ = explore(pages)
    flow = only(package)
    assert "Delete everything" not in app.pressed and flow.metadata["observedOnly"] is True
    assert flow.metadata["sideEffectClass"] == "destructive" and flow.review_state == "needs_review"
    create = Element("button", "Create video", scope="form", leads_to="/done", more=CREATE)
    pages = {**SITE, "/videos/new": Page([*FIELDS, create], (FORM,), "New"), "/done": Page(title="Done")}
    done, app, _ = explore(pages, "sandbox_write")
    assert "Create video" in app.pressed and "observedOnly" not in only(done).metadata


@pytest.mark.requirement("DISC-11.7c", "AUTH-5.10f")
def test_the_inputs_are_those_of_the_form_itself_each_with_a_name_of_its_own() -> None:
    def form(*fields: Element, submit: str) -> Page:
        nameless = Scope("form", "form")
        return Page([*fields, Element("button", submit, scope="form", more=SUBMIT)], (nameless,), submit)

    pages = {
        "/": Page([Element("link", "Users", href="/users"), Element("link", "Login", href="/login")]),
        "/login": form(Element("textbox", "Password", scope="form"), submit="Create session"),
        "/users": form(
            Element("textbox", "Filter", scope="form", more={"metadata": {"htmlName": "a"}}),
            Element("textbox", "Filter", scope="form", more={"metadata": {"htmlName": "b"}}),
            submit="Create user",
        ),
    }
    package, _, _ = explore(pages)
    flows = {str(one.title): one for one in package.workflow_candidates.workflows}
    inputs = {title: [one.name for one in flow.required_inputs or ()] for title, flow in flows.items()}
    assert inputs == {"Create session": ["password"], "Create user": ["filter", "filter_2"]}
    steps = [one.parameter_names for one in flows["Create user"].step_skeleton if one.parameter_names]
    assert steps == [("filter",), ("filter_2",)]
