"""Make a workflow definition that runs from a candidate that discovery found.

The candidate says which fields a form has and what submits it. This module adds the address, the arguments, the
bindings of the targets, and the names of secrets. A person has to review the result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from uiap.authoring.from_discovery.items import to_manifest_item

VALUE_ARGS: Mapping[str, str] = {
    "ui.enterText": "text",
    "ui.setValue": "value",
    "ui.choose": "label",
    "ui.toggle": "checked",
    "ui.upload": "files",
}
SECRET = frozenset({"credential", "secret", "payment"})


def candidates(package: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the workflow candidates of a discovery package."""
    catalog = package.get("workflowCandidates") or {}
    return list(catalog.get("workflows") or ())


def candidate_definition(package: Mapping[str, Any], candidate: Mapping[str, Any]) -> dict[str, Any]:
    """Return the definition of a candidate, with everything that a run needs."""
    definition = to_manifest_item("workflowCandidate", candidate)["definition"]
    parameters = {one["name"]: one for one in definition.get("parameters", ())}
    secrets = {name for name, one in parameters.items() if one.get("dataClass") in SECRET}
    elements = list((package.get("elementCatalog") or {}).get("elements") or ())
    used: dict[str, dict[str, Any]] = {}
    steps = [
        _step(one, parameters, secrets, elements, used)
        # a run begins at the address of the last route, so the steps that lead there are left out
        for one in definition["steps"][(candidate.get("metadata") or {}).get("stepsToLastRoute", 0) :]
        if one.get("actionId") != "nav.navigate"
    ]
    asked = [one for name, one in parameters.items() if name not in secrets]
    if asked:
        steps.insert(0, {"id": "inputs", "type": "collect", "parameterNames": [one["name"] for one in asked]})
    made = {
        **definition,
        "id": definition["id"].removeprefix("candidate."),
        "interactionModes": ["auto", "assist", "guide"],
        "parameters": asked,
        "initialStepId": steps[0]["id"],
        "steps": steps,
        "metadata": {"startUrl": _address(package, candidate), "elements": list(used.values())},
    }
    for name in ("entryConditions", "routeIds"):  # the start address decides where it begins
        made.pop(name, None)
    return {name: value for name, value in made.items() if value not in (None, [], {})}


def _step(
    step: Mapping[str, Any],
    parameters: Mapping[str, Any],
    secrets: set[str],
    elements: list[dict[str, Any]],
    used: dict[str, dict[str, Any]],
) -> dict[str, Any]:
    made = dict(step)
    names = made.pop("parameterNames", None) or ()
    member = VALUE_ARGS.get(made.get("actionId", ""))
    if names and member is not None:
        (name, *_) = names
        made["args"] = {member: {"secret": name} if name in secrets else {"$param": name}}
        if name not in secrets and not parameters[name].get("required"):
            made["when"] = [{"kind": "parameter", "name": name, "op": "exists"}]
    found = _element(made.get("target"), elements)
    if found is not None:
        binding = to_manifest_item("element", found)
        binding.pop("routeIds", None)
        used[binding["id"]] = binding
        made["target"] = {"by": "stableId", "value": binding["id"]}
    return made


def _element(target: Mapping[str, Any] | None, elements: list[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the one element of the catalog that a target means."""
    found = [] if target is None else [one for one in elements if _is_meant(target, one)]
    return found[0] if len(found) == 1 else None


def _is_meant(target: Mapping[str, Any], element: Mapping[str, Any]) -> bool:
    if target["by"] == "stableId":
        return target["value"] in (element.get("stableId"), element.get("semanticKey"))
    return (
        target["by"] == "semantic"
        and element.get("role") == target["role"]
        and target.get("name") in (element.get("names") or [None])
        and (target.get("scope") is None or target["scope"] in (element.get("scopes") or ()))
    )


def _address(package: Mapping[str, Any], candidate: Mapping[str, Any]) -> str | None:
    return next(_addresses(package, candidate), None)


def _addresses(package: Mapping[str, Any], candidate: Mapping[str, Any]) -> Iterator[str]:
    """Yield the addresses of the candidate's routes, those of the last route first."""
    routes = {one["routeId"]: one for one in (package.get("routeCatalog") or {}).get("routes") or ()}
    for id in reversed(candidate.get("routeIds") or ()):
        yield from routes.get(id, {}).get("urls") or ()
