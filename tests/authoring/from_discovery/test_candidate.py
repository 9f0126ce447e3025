"""A candidate of a discovery run becomes a definition that runs."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.authoring.from_discovery.candidate import candidate_definition, candidates
from uiap.spec.workflow import ActionStep, CollectStep, WorkflowDefinition
from uiap.workflow.validation import rule_violations


def field(name: str, role: str = "textbox", **more: Any) -> dict[str, Any]:
    return {
        "semanticKey": f"form|{role}|{name}",
        "role": role,
        "names": [name],
        "scopes": ["form.join"],
        **more,
    }


def fill(name: str, parameter: str, action: str = "ui.enterText", role: str = "textbox") -> dict[str, Any]:
    target = {"by": "semantic", "role": role, "name": name, "scope": "form.join"}
    return {"type": "action", "actionId": action, "target": target, "parameterNames": [parameter]}


PACKAGE: dict[str, Any] = {
    "routeCatalog": {"routes": [{"routeId": "/join", "urls": ["https://app.test/join"]}]},
    "elementCatalog": {
        "elements": [
            field("Name", metadata={"attributes": {"id": "name"}}),
            field("Password"),
            field("Plan", "combobox"),
            field("Join", "button", stableId="join.submit"),
            field("Twin"),
            field("Twin", stableId="other"),
        ]
    },
    "workflowCandidates": {
        "workflows": [
            {
                "id": "candidate.join.submit",
                "title": "Join",
                "category": "task",
                "routeIds": ["/join"],
                "entryConditions": [{"kind": "route", "routeId": "/join"}],
                "requiredInputs": [
                    {"name": "name", "type": "string", "required": True},
                    {"name": "password", "type": "string", "required": True, "dataClass": "credential"},
                    {"name": "plan", "type": "string"},
                ],
                "stepSkeleton": [
                    {"type": "action", "actionId": "nav.navigate"},
                    fill("Name", "name"),
                    fill("Password", "password"),
                    fill("Plan", "plan", "ui.choose", "combobox"),
                    fill("Twin", "plan"),
                    {
                        "type": "action",
                        "actionId": "ui.activate",
                        "target": {"by": "stableId", "value": "join.submit"},
                    },
                    {"type": "complete"},
                ],
                "successSignals": [{"kind": "toast.contains", "text": "Welcome"}],
            }
        ]
    },
}


def test_a_candidate_gets_its_address_arguments_bindings_and_secrets() -> None:
    (candidate,) = candidates(PACKAGE)
    plain = candidate_definition(PACKAGE, candidate)
    assert not [one for one in rule_violations(plain) if one.severity == "error"]
    made = msgspec.convert(plain, WorkflowDefinition)
    assert (made.id, made.metadata["startUrl"]) == ("join.submit", "https://app.test/join")  # type: ignore[index]
    assert [one.name for one in made.parameters or ()] == ["name", "plan"]
    assert isinstance(made.steps[0], CollectStep)
    name, password, plan, twin, join = (one for one in made.steps if isinstance(one, ActionStep))
    assert (name.args, password.args) == ({"text": {"$param": "name"}}, {"text": {"secret": "password"}})
    assert plan.args == {"label": {"$param": "plan"}} and plan.when and not name.when
    assert twin.target.by == "semantic", "two elements fit, so no binding is chosen"  # type: ignore[union-attr]
    assert join.target.value == "join.submit"  # type: ignore[union-attr]
    bound = {one["id"]: one for one in made.metadata["elements"]}  # type: ignore[index]
    assert list(bound) == ["form|textbox|Name", "form|textbox|Password", "form|combobox|Plan", "join.submit"]
    assert bound["form|textbox|Name"]["match"][0] == {"by": "annotation", "attr": "id", "value": "name"}


def test_a_package_without_candidates_has_none() -> None:
    assert candidates({}) == []
