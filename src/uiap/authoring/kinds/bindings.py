"""Bindings: routes, scopes and elements, and their matchers."""

from __future__ import annotations

from typing import Any

from uiap.authoring.kinds.kind import FactCollector, ManifestKind, Section, numbered, signal_references
from uiap.spec.policy import DATA_CLASSES

_INSTEAD = {
    "runtimeHint": "give it a css selector or an xpath",
    "signal": "use a path, urlPattern, routeId or title matcher",
}
CRITICAL_DATA = frozenset({"sensitive", "credential", "secret", "payment", "health"})


def _inspect(spec: dict[str, Any], facts: FactCollector) -> None:
    for index, route in numbered(spec, "routes"):
        facts.refer("route", route.get("parentRouteId"), "routes", index, "parentRouteId")
        signal_references(facts, route.get("successSignals"), "routes", index, "successSignals")
        _matchers(route, ("routes", index), facts)
    for index, scope in numbered(spec, "scopes"):
        facts.refer("scope", scope.get("parentScopeId"), "scopes", index, "parentScopeId")
        for at, id in numbered(scope, "routeIds"):
            facts.refer("route", id, "scopes", index, "routeIds", at)
        for at, id in numbered(scope, "stableIds"):
            facts.refer("element", id, "scopes", index, "stableIds", at, severity="warning")
    for index, element in numbered(spec, "elements"):
        _element(element, index, facts)


def _element(element: dict[str, Any], index: int, facts: FactCollector) -> None:
    where, known = ("elements", index), facts.known  # fast path: most references are already recorded
    if ("scope", element.get("scopeId")) not in known:
        facts.refer("scope", element.get("scopeId"), *where, "scopeId")
    if ("action", element.get("defaultAction")) not in known:
        facts.refer("action", element.get("defaultAction"), *where, "defaultAction")
    for at, id in enumerate(element.get("routeIds") or ()):
        if ("route", id) not in known:
            facts.refer("route", id, *where, "routeIds", at)
    for at, matcher in enumerate(element["match"]):
        if "scopeId" in matcher:
            facts.refer("scope", matcher["scopeId"], *where, "match", at, "scopeId")
    if "success" in element:
        signal_references(facts, element["success"], *where, "success")
    _matchers(element, where, facts)
    if all(m["by"] == "runtimeHint" for m in element["match"]) and _critical(element):
        # AUTH-5.3: CSS and XPath break with the next redesign; a critical target needs another matcher.
        hint = "add an annotation or semantic matcher"
        message = f"the critical `{element['id']}` has only runtimeHint matchers"
        facts.lint("warning", "runtime_hint_only", (*where, "match"), message, hint)
    for data_class in element.get("dataClasses") or ():
        if data_class not in DATA_CLASSES and not data_class.startswith("x."):
            message = f"`{data_class}` is not a known data class and is treated like `secret`"
            facts.lint("warning", "unknown_data_class", (*where, "dataClasses"), message)


def _critical(element: dict[str, Any]) -> bool:
    risk = element.get("risk")
    level = risk.get("level") if isinstance(risk, dict) else risk
    return level in ("confirm", "blocked") or not CRITICAL_DATA.isdisjoint(element.get("dataClasses") or ())


def _matchers(item: dict[str, Any], where: tuple[str | int, ...], facts: FactCollector) -> None:
    if not item["match"]:
        facts.lint("warning", "no_matcher", (*where, "match"), f"`{item['id']}` has no matcher")
    without_effect = [(at, matcher) for at, matcher in enumerate(item["match"]) if not _can_match(matcher)]
    for at, matcher in without_effect:
        kind = matcher.get("by") or matcher["kind"]
        facts.lint(
            "warning",
            "matcher_without_effect",
            (*where, "match", at),
            f"the matcher `{kind}` of `{item['id']}` finds nothing at run time",
            _INSTEAD.get(kind, "use a semantic, label or annotation matcher"),
        )


def _can_match(matcher: dict[str, Any]) -> bool:
    """Return whether a runtime can evaluate the matcher on a published page."""
    if matcher.get("by") == "runtimeHint":
        return bool(matcher.get("css") or matcher.get("xpath"))
    return matcher.get("kind") != "signal"


def normalize_risks(spec: dict[str, Any]) -> dict[str, Any]:
    """Return the spec with risks as objects: the risk `confirm` means `{level: confirm}`."""
    elements = spec.get("elements") or ()
    if not any(isinstance(element.get("risk"), str) for element in elements):
        return spec
    return {**spec, "elements": [_with_risk(element) for element in elements]}


def _with_risk(element: dict[str, Any]) -> dict[str, Any]:
    risk = element.get("risk")
    return {**element, "risk": {"level": risk}} if isinstance(risk, str) else element


KIND = ManifestKind("Bindings", _inspect, (Section("routes"), Section("scopes"), Section("elements")))
