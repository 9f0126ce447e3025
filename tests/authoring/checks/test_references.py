"""References that do not resolve, and lints about risk, signals and matchers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import action, built, codes, manifest, messages, package, text, workflow
from uiap.workflow.validation import rule_violations

MATCH = [{"by": "text", "text": "x"}]


def bound(**sections: Any) -> dict[str, Any]:
    return manifest("Bindings", "b", sections)


@pytest.mark.parametrize(
    ("element", "pointer"),
    [
        ({"scopeId": "no"}, "/spec/elements/0/scopeId"),
        ({"routeIds": ["no"]}, "/spec/elements/0/routeIds/0"),
        ({"defaultAction": "no"}, "/spec/elements/0/defaultAction"),
        ({"match": [{"by": "semantic", "scopeId": "no"}]}, "/spec/elements/0/match/0/scopeId"),
    ],
)
@pytest.mark.requirement("AUTH-5.3")
def test_an_unresolved_reference_of_an_element_is_an_error(element: dict[str, Any], pointer: str) -> None:
    (error,) = built(package(bound(elements=[{"id": "e", "match": MATCH, **element}]))).errors
    assert (error.code, error.pointer) == ("unresolved", pointer)


def test_references_resolve_across_files_and_to_primitive_actions() -> None:
    files = package(
        bound(elements=[{"id": "e", "match": MATCH, "scopeId": "s", "defaultAction": "ui.activate"}]),
        manifest(
            "Bindings",
            "c",
            {
                "scopes": [{"id": "s", "kind": "form", "routeIds": ["r"]}],
                "routes": [{"id": "r", "match": [{"kind": "path", "value": "/"}]}],
            },
        ),
    )
    result = built(files)
    assert codes(result, "error", "warning") == [], messages(result)


def test_a_reference_to_an_item_of_another_context_is_a_warning() -> None:
    acts = manifest("Actions", "a", {"actions": [action("eu", selectors=[{"environments": ["eu"]}])]})
    files = package(acts, bound(elements=[{"id": "e", "match": MATCH, "defaultAction": "eu"}]))
    assert codes(built(files), "error", "warning") == ["not_in_context"]
    assert codes(built(files, environment="eu"), "error", "warning") == []


def test_a_target_without_a_binding_is_a_warning() -> None:
    signal = {"kind": "element.appeared", "target": {"by": "stableId", "value": "ghost"}}
    acts = manifest("Actions", "a", {"actions": [action("x", success=[signal, signal])]})
    assert codes(built(package(acts)), "error", "warning") == ["unresolved"]


@pytest.mark.requirement("AUTH-5.3")
@pytest.mark.parametrize(
    "matcher",
    [
        {"by": "annotation", "attr": "data-uiap-id", "value": "x"},
        {"by": "semantic", "role": "button"},
        {"by": "label", "text": "x"},
        {"by": "text", "text": "x"},
        {"by": "adapter", "id": "x"},
        {"by": "runtimeHint", "css": "#x", "xpath": "//x"},
    ],
)
def test_every_kind_of_matcher_is_accepted(matcher: dict[str, Any]) -> None:
    result = built(package(bound(elements=[{"id": "e", "match": [matcher]}])))
    assert (codes(result), codes(result, "warning")) == ([], [])
    assert [m.by for m in result.bundle.bindings.elements[0].match] == [matcher["by"]]  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-5.3")
@pytest.mark.parametrize("kind", ["routeId", "path", "urlPattern", "title", "signal"])
def test_every_kind_of_route_matcher_is_accepted(kind: str) -> None:
    result = built(package(bound(routes=[{"id": "r", "match": [{"kind": kind, "value": "x"}]}])))
    assert [m.kind for m in result.bundle.bindings.routes[0].match] == [kind]  # type: ignore[union-attr, index]


@pytest.mark.requirement("AUTH-5.3")
@pytest.mark.parametrize(
    "critical", [{"risk": "confirm"}, {"risk": {"level": "blocked"}}, {"dataClasses": ["payment"]}]
)
def test_a_critical_element_with_only_css_matchers_is_a_warning(critical: dict[str, Any]) -> None:
    hint = {"by": "runtimeHint", "css": "#pay"}
    assert codes(built(package(bound(elements=[{"id": "e", "match": [hint], **critical}]))), "warning") == [
        "runtime_hint_only"
    ]
    more = [hint, {"by": "label", "text": "Pay"}]
    assert codes(built(package(bound(elements=[{"id": "e", "match": more, **critical}]))), "warning") == []
    assert codes(built(package(bound(elements=[{"id": "e", "match": [hint]}]))), "warning") == []


def test_a_plain_risk_level_becomes_a_descriptor() -> None:
    result = built(package(bound(elements=[{"id": "e", "match": MATCH, "risk": "confirm"}])))
    assert b'"risk":{"level":"confirm"}' in result.data


@pytest.mark.requirement("AUTH-5.4b")
def test_a_domain_action_without_implementation_is_a_warning() -> None:
    bare = {k: v for k, v in action("x").items() if k != "implementation"}
    assert codes(built(package(manifest("Actions", "a", {"actions": [bare]}))), "warning") == [
        "no_implementation"
    ]


@pytest.mark.requirement("AUTH-5.4c")
@pytest.mark.requirement("AUTH-5.4")
@pytest.mark.parametrize("kind", ["sdkHandler", "serverAction", "externalDriver"])
def test_an_implementation_without_a_ref_is_an_error(kind: str) -> None:
    for reference, expected in (({}, ["implementation_ref"]), ({"ref": "x"}, [])):
        acts = [action("x", implementation={"kind": kind, **reference})]
        assert codes(built(package(manifest("Actions", "a", {"actions": acts})))) == expected


@pytest.mark.requirement("CAP-9.2")
@pytest.mark.parametrize(
    ("level", "signals", "code"),
    [
        ("safe", 0, ["no_success_signal"]),
        ("confirm", 1, ["one_success_signal"]),
        ("safe", 1, []),
        ("confirm", 2, []),
    ],
)
def test_an_action_with_too_few_success_signals_is_a_warning(
    level: str, signals: int, code: list[str]
) -> None:
    acts = [action("x", level, success=[{"kind": "toast.contains", "text": str(n)} for n in range(signals)])]
    assert codes(built(package(manifest("Actions", "a", {"actions": acts}))), "warning") == code


@pytest.mark.requirement("CAP-SEC.3")
def test_a_risk_lower_than_its_evidence_is_a_warning() -> None:
    tagged = [action("x", risk={"level": "safe", "tags": ["destructive"]})]
    assert codes(built(package(manifest("Actions", "a", {"actions": tagged}))), "warning") == [
        "risk_laxer_than_evidence"
    ]
    acts = manifest("Actions", "a", {"actions": [action("x", "blocked")]})
    element = {"id": "e", "match": MATCH, "risk": "safe", "defaultAction": "x"}
    assert codes(built(package(acts, bound(elements=[element]))), "warning") == ["risk_laxer_than_evidence"]


@pytest.mark.requirement("AUTH-9.2")
@pytest.mark.parametrize(
    ("channel", "count"),
    [
        ({"name": "prod"}, 2),
        ({"name": "prod", "requiredReviewState": "in_review", "forbidGeneratedOnly": True}, 1),
        ({"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": False}, 1),
        ({"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}, 0),
        ({"name": "staging"}, 0),
    ],
)
def test_a_lenient_production_channel_is_a_warning(channel: dict[str, Any], count: int) -> None:
    assert codes(built(package(publish={"channels": [channel]})), "warning") == ["lenient_prod"] * count


@pytest.mark.requirement("AUTH-SEC.2")
@pytest.mark.parametrize(
    ("value", "code"),
    [
        ({"password": "hunter2hunter2"}, "credential_in_manifest"),
        ({"apiKey": "k3y-k3y-k3y-k3y"}, "credential_in_manifest"),
        ({"k": "AKIAIOSFODNN7EXAMPLE"}, "credential_in_manifest"),
        ({"k": "-----BEGIN PRIVATE KEY-----"}, "credential_in_manifest"),
        ({"k": "ghp_abcdefghijklmnopqrstuvwxyz0123456789"}, "credential_in_manifest"),
        ({"url": "postgres://user:pass@db/x"}, "credential_in_manifest"),
        ({"endpoint": "https://internal.example/api"}, "endpoint_in_manifest"),
    ],
)
def test_credentials_and_endpoints_are_reported_without_their_value(value: dict[str, str], code: str) -> None:
    app = manifest("App", "app", {"appId": "a", "displayName": "A", "metadata": value})
    found = [d for d in built(package(app)).diagnostics if d.code == code]
    assert found, value
    assert not any(next(iter(value.values())) in str(d) for d in found)


def test_endpoints_in_their_own_members_are_not_reported() -> None:
    app = "apiVersion: uiap.authoring/v0.1\nkind: App\nmetadata: {id: app, reviewState: approved}\nspec:\n"
    app += (
        '  appId: a\n  displayName: A\n  environments:\n    - id: dev\n      baseUrls: ["http://localhost"]\n'
    )
    files = package(manifest("App", "app", {"appId": "a", "displayName": "A"}))
    assert codes(built({**files, "app.uiap.yaml": app}), "warning") == []


def test_a_context_that_the_app_does_not_declare_is_a_warning() -> None:
    app = manifest(
        "App",
        "app",
        {"appId": "a", "displayName": "A", "environments": [{"id": "eu"}], "supportedLocales": ["de"]},
    )
    result = built(package(app), environment="eux", locale="dee")
    assert codes(result, "warning") == ["unknown_context", "unknown_context"]


def test_an_unknown_grant_is_a_warning() -> None:
    app = manifest(
        "App",
        "app",
        {
            "appId": "a",
            "displayName": "A",
            "principalProfiles": [{"id": "p", "grants": ["act", "fly", "x.own"]}],
        },
    )
    assert codes(built(package(app)), "warning") == ["unknown_grant"]


STEPS: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"initialStepId": "no"}, ["unknown_step"]),
    (
        {
            "steps": [
                {"id": "a", "type": "instruction", "text": "x", "next": "no"},
                {"id": "z", "type": "complete"},
            ]
        },
        ["unknown_step"],
    ),
    ({"steps": [{"id": "a", "type": "complete"}, {"id": "a", "type": "complete"}]}, ["duplicate_step"]),
    ({"steps": [{"id": "a", "type": "instruction", "text": "x"}]}, ["no_complete", "dead_end"]),
    ({"steps": [{"id": "a", "type": "complete", "next": "a"}]}, ["next_after_complete"]),
    ({"steps": [{"id": "a", "type": "complete"}, {"id": "b", "type": "complete"}]}, ["unreachable_step"]),
    (
        {
            "steps": [
                {"id": "a", "type": "instruction", "text": "x", "next": "b"},
                {"id": "b", "type": "instruction", "text": "y", "next": "a"},
                {"id": "z", "type": "complete"},
            ]
        },
        ["no_complete", "unreachable_step", "endless_cycle"],
    ),
    (
        {
            "steps": [
                {"id": "a", "type": "branch", "branches": [{"when": [], "next": "a"}], "otherwise": "z"},
                {"id": "z", "type": "complete"},
            ]
        },
        [],
    ),
    (
        {"steps": [{"id": "a", "type": "collect", "parameterNames": ["p"]}, {"id": "z", "type": "complete"}]},
        ["unknown_parameter"],
    ),
    (
        {
            "parameters": [{"name": "p", "type": "string", "dataClass": "credential"}],
            "steps": [
                {"id": "a", "type": "collect", "parameterNames": ["p"]},
                {"id": "z", "type": "complete"},
            ],
        },
        ["collects_secret"],
    ),
    ({"parameters": [{"name": "p", "type": "string"}]}, ["unused_parameter"]),
    (
        {"parameters": [{"name": "p", "type": "string"}, {"name": "p", "type": "string"}]},
        ["duplicate_parameter", "unused_parameter", "unused_parameter"],
    ),
    (
        {
            "parameters": [{"name": "p", "type": "string"}],
            "steps": [
                {"id": "a", "type": "action", "actionId": "x", "args": {"t": {"$param": "p"}, "u": "{{q}}"}},
                {"id": "z", "type": "complete"},
            ],
        },
        ["unknown_parameter"],
    ),
]


@pytest.mark.parametrize(("members", "expected"), STEPS)
def test_a_workflow_definition_is_validated(members: dict[str, Any], expected: list[str]) -> None:
    assert [f.code for f in rule_violations(workflow("w", **members)["definition"])] == expected


def test_a_step_with_an_unverified_non_idempotent_action_is_a_warning() -> None:
    steps = [{"id": "a", "type": "action", "actionId": "pay"}, {"id": "z", "type": "complete"}]
    acts = [action("pay", idempotency="non_idempotent", success=[])]
    files = package(
        manifest("Actions", "acts", {"actions": acts}),
        manifest("WorkflowCatalog", "flows", {"workflows": [workflow("w", steps=steps)]}),
    )
    assert codes(built(files), "warning") == ["no_success_signal", "unverified_action"]
    ensured = [steps[0], {"id": "e", "type": "ensure", "signals": []}, steps[1]]
    files["flows.uiap.yaml"] = text(
        manifest("WorkflowCatalog", "flows", {"workflows": [workflow("w", steps=ensured)]})
    )
    assert codes(built(files), "warning") == ["no_success_signal"]
