"""Convert findings of a discovery run into manifest items. It copies observations and assumes no low risk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

# finding kind -> catalog in the package, list in the catalog, members that may contain the id
CATALOGS: Mapping[str, tuple[str, str, tuple[str, ...]]] = {
    "route": ("routeCatalog", "routes", ("routeId",)),
    "scope": ("scopeCatalog", "scopes", ("scopeId",)),
    "element": ("elementCatalog", "elements", ("stableId", "semanticKey")),
    "action": ("actionCatalog", "actions", ("id",)),
    "workflowCandidate": ("workflowCandidates", "workflows", ("id",)),
    "reviewItem": ("reviewQueue", "items", ("id",)),
}


def to_manifest_item(kind: str, found: Mapping[str, Any]) -> dict[str, Any]:
    """Return one finding as a manifest item."""
    return {name: value for name, value in _FORMS[kind](found).items() if value not in (None, [], {})}


def _route(found: Mapping[str, Any]) -> dict[str, Any]:
    facts = found.get("metadata") or {}
    patterns = dict.fromkeys(
        facts.get("patterns") or [facts["pattern"]] if "pattern" in facts else _paths(found)
    )
    match = [{"kind": "urlPattern" if "/:" in one else "path", "value": one} for one in patterns]
    if facts.get("view"):
        return {"id": found["routeId"], "match": [{"kind": "title", "value": _first(found.get("titles"))}]}
    is_declared = found["routeId"] not in patterns
    has_parameters = any("/:" in one for one in patterns)
    return {
        "id": found["routeId"],
        "match": [*([{"kind": "routeId", "value": found["routeId"]}] if is_declared else []), *match],
        # the title of a page about a record is data
        "title": None if has_parameters else _first(found.get("titles")),
        "successSignals": [{"kind": "route.changed", "pattern": facts["pattern"]}]
        if "pattern" in facts
        else None,
    }


def _paths(found: Mapping[str, Any]) -> list[str]:
    return [urlsplit(url).path or "/" for url in found.get("urls") or ()]


def _scope(found: Mapping[str, Any]) -> dict[str, Any]:
    facts = found.get("metadata") or {}
    return {
        "id": found["scopeId"],
        "kind": found["kind"],
        "routeIds": found.get("routeIds"),
        "parentScopeId": found.get("parentScopeId"),
        "title": _first(found.get("names")),
        "stableIds": found.get("stableIds"),
        "metadata": {"nameIsData": True} if facts.get("nameIsData") else None,
    }


def _element(found: Mapping[str, Any]) -> dict[str, Any]:
    stable, scope, name = found.get("stableId"), _first(found.get("scopes")), _first(found.get("names"))
    facts = found.get("metadata") or {}
    return {
        "id": stable or found["semanticKey"],
        "scopeId": scope,
        "routeIds": found.get("routes"),
        "role": found["role"],
        "name": name,
        "meaning": _first(found.get("meanings")),
        "match": list(_matchers(found, scope, name)),
        "risk": found.get("risk"),
        "dataClasses": found.get("dataClasses"),
        "metadata": {name: facts[name] for name in ("record", "twin") if facts.get(name)},
    }


def is_unrecognisable(found: Mapping[str, Any]) -> bool:
    """Return whether an element has neither a name nor an id nor an attribute, and no role that means something."""
    facts = found.get("metadata") or {}
    return (
        found["role"] == "custom"
        and not found.get("stableId")
        and not facts.get("attributes")
        and not any(found.get("names") or ())
    )


def _matchers(found: Mapping[str, Any], scope: str | None, name: str | None) -> Iterator[dict[str, Any]]:
    """Yield the matchers of an element, the most certain first."""
    facts = found.get("metadata") or {}
    if found.get("stableId"):
        yield {"by": "annotation", "attr": "data-uiap-id", "value": found["stableId"]}
    for attribute, value in (facts.get("attributes") or {}).items():
        yield {"by": "annotation", "attr": attribute, "value": value}
    semantic = {"by": "semantic", "role": found["role"], "name": name, "scopeId": scope}
    yield {key: value for key, value in semantic.items() if value is not None}


def _action(found: Mapping[str, Any]) -> dict[str, Any]:
    kind = "primitive" if found["kind"] == "primitive" else "domain"
    facts = found.get("metadata") or {}
    return {
        "id": found["id"],
        "kind": kind,
        "targetKinds": ["element"] if found.get("targetPatterns") else ["none"],
        "executionModes": ["semanticUi"],
        "args": found.get("args"),
        "risk": found.get("risk") or {"level": "confirm", "reason": "found by discovery, not reviewed yet"},
        "success": found.get("successSignals"),
        "implementation": _implementation(found) if kind == "domain" else None,
        "metadata": {"fields": facts["fields"]} if facts.get("fields") else None,
    }


def _implementation(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what carries the action out: a function of the application, the press of its element, or nothing."""
    if any(one["source"] == "app_registry" for one in found.get("discoveredBy") or ()):
        return {"kind": "sdkHandler", "ref": found["id"]}
    element = (found.get("metadata") or {}).get("element")
    return {"kind": "externalDriver", "ref": element} if element else {"kind": "none"}


def _workflow(found: Mapping[str, Any]) -> dict[str, Any]:
    steps = [
        {
            key: value
            for key, value in {"id": f"step-{n}", **skeleton, "text": _narration(skeleton)}.items()
            if value
        }
        for n, skeleton in enumerate(found["stepSkeleton"], 1)
    ]
    if not steps or steps[-1]["type"] != "complete":
        steps.append({"id": "done", "type": "complete"})
    definition = {
        "id": found["id"],
        "version": "0.1.0",
        "title": found.get("title") or found["id"],
        "category": found.get("category") or "task",
        "startMode": "manual",
        "interactionModes": ["guide", "assist"],
        "routeIds": found.get("routeIds"),
        "parameters": found.get("requiredInputs"),
        "entryConditions": found.get("entryConditions"),
        "success": found.get("successSignals"),
        "initialStepId": steps[0]["id"],
        "steps": steps,
    }
    return {
        "review": {"level": "candidate", "generatedFromDiscovery": True},
        "definition": {name: value for name, value in definition.items() if value},
    }


def _narration(skeleton: Mapping[str, Any]) -> str | None:
    return "Follow the highlighted step." if skeleton["type"] == "instruction" else None


def _first(values: Any) -> Any:
    return values[0] if values else None


_FORMS: Mapping[str, Callable[[Mapping[str, Any]], dict[str, Any]]] = {
    "route": _route,
    "scope": _scope,
    "element": _element,
    "action": _action,
    "workflowCandidate": _workflow,
}
