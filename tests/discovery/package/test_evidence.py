"""Everything that a package refers to is in it, and every source of evidence is named where it was used."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.shop import SHOP
from tests.discovery.simulated_app import (
    Element,
    Page,
    Scope,
    SimulatedApp,
    SimulatedRun,
    environment,
    explore,
)
from uiap.discovery import commands, events
from uiap.spec.capability import ActionArgDescriptor, ActionDescriptor, RiskDescriptor
from uiap.spec.discovery import EVIDENCE_SOURCES, DiscoveryPackage, DocumentationSeed

FINDINGS = (
    ("routeCatalog", "routes"),
    ("scopeCatalog", "scopes"),
    ("elementCatalog", "elements"),
    ("actionCatalog", "actions"),
    ("workflowCandidates", "workflows"),
    ("transitionGraph", "states"),
    ("transitionGraph", "edges"),
)


def findings(package: DiscoveryPackage) -> list[dict[str, Any]]:
    plain = msgspec.to_builtins(package)
    return [one for catalog, member in FINDINGS for one in plain[catalog][member]]


def dangling(package: DiscoveryPackage) -> set[str]:
    """Return every reference of the package that leads to nothing in it."""
    plain = msgspec.to_builtins(package)
    index = {one["refId"] for one in plain["evidenceIndex"]["items"]}
    routes = {one["routeId"] for one in plain["routeCatalog"]["routes"]}
    scopes = {one["scopeId"] for one in plain["scopeCatalog"]["scopes"]}
    states = {one["stateId"] for one in plain["transitionGraph"]["states"]}
    found: set[str] = set()
    for one in [*findings(package), *plain["reviewQueue"]["items"]]:
        refs = one.get("discoveredBy") or one.get("evidence") or []
        found |= {ref["refId"] for ref in refs} - index
        found |= {*one.get("routes", ()), *one.get("routeIds", ())} - routes
        found |= {*one.get("scopes", ()), *one.get("scopeIds", ()), *one.get("modalStack", ())} - scopes
        found |= {one[name] for name in ("fromStateId", "toStateId") if name in one} - states
        found |= {one[name] for name in ("routeId",) if name in one} - routes
        found |= {one[name] for name in ("scopeId", "parentScopeId") if name in one} - scopes
        found |= {one[name] for name in ("pageGraphRef", "screenshotRef") if name in one} - index
        for pattern in one.get("targetPatterns", ()):
            found |= {pattern[name] for name in ("scopeId",) if name in pattern} - scopes
    return found


@pytest.mark.requirement("DISC-6.1")
def test_every_reference_inside_a_package_resolves() -> None:
    records = Page(
        [
            Element("textbox", "Title", scope="f"),
            Element("button", "Save", scope="f", more={"affordances": ("read", "activate", "submit")}),
        ],
        (Scope("f", "form", "Holidays", annotated=False),),
        "Holidays",
    )
    for pages in (SHOP, {**SHOP, "/videos/:id": records}):
        package, _, _ = explore(pages, profiles=("admin",))
        assert len(findings(package)) > 30 and dangling(package) == set()


@pytest.mark.requirement("DISC-7b", "DISC-7c", "DISC-11.4d")
def test_each_source_of_evidence_is_recorded_where_it_was_used_and_only_there() -> None:
    elements = [
        Element("button", "Report", more={"stable_id": "report.open", "default_action": "report.open"}),
        Element("button", "Show more", more={"text": "Show more"}),
        Element("button", "Close", more={"source": "aria"}),
        Element("custom", "Card", more={"source": "heuristic"}),
        Element("custom", "Painted", more={"source": "vision"}),
        Element("button", "Show details", writes="/api/track"),
        Element("link", "Help", href="/help"),
    ]
    pages = {"/": Page(elements), "/help": Page(title="Help")}
    run = RunWithEvidence(
        SimulatedApp(pages),
        environment(),
        seeds=(DocumentationSeed(ref="guide"),),
        documents={"guide": "Read /help first."},
    )
    package = run.complete()
    by_name = {
        one["names"][0]: sources(one) for one in msgspec.to_builtins(package)["elementCatalog"]["elements"]
    }
    assert by_name["Report"] >= {"annotation", "app_registry"}
    assert by_name["Show more"] >= {"dom", "visible_text", "accessibility"}
    assert "accessibility" not in by_name["Close"] and "dom" in by_name["Close"]
    assert by_name["Card"] - {"transition"} == {"inferred"} and by_name["Painted"] - {"transition"} == {
        "vision"
    }
    everything = set().union(*(sources(one) for one in findings(package)))
    assert everything == set(EVIDENCE_SOURCES) - {"manual_review"}  # only the review of a person adds it
    help_page = next(one for one in findings(package) if one.get("routeId") == "/help" and "urls" in one)
    assert "documentation" in sources(help_page)


def sources(finding: dict[str, Any]) -> set[str]:
    return {ref["source"] for ref in finding["discoveredBy"]}


class RunWithEvidence(SimulatedRun):
    """A run whose page has a registered action, an accessibility tree and a screenshot."""

    def answer(self, command: commands.Command) -> events.Event:
        event = super().answer(command)
        if isinstance(event, events.Prepared):
            return msgspec.structs.replace(event, registered=(REPORT,))
        if isinstance(event, events.Captured):
            nodes = ("button|Show more", "link|Help", "link|Close")
            return msgspec.structs.replace(event, screenshot="sha256:png", ax_nodes=nodes)
        return event


REPORT = ActionDescriptor(
    id="report.open",
    kind="domain",
    target_kinds=("none",),
    execution_modes=("appAction",),
    args=(ActionArgDescriptor(name="month", type="string", required=True),),
    risk=RiskDescriptor(level="confirm", tags=("external_effect",)),
)


@pytest.mark.requirement("DISC-7", "DISC-7d")
@pytest.mark.parametrize(
    ("times", "signals", "confidence"), [(1, "same", "medium"), (2, "same", "high"), (2, "other", "low")]
)
def test_the_confidence_of_a_transition_follows_from_its_repetitions(
    times: int, signals: str, confidence: str
) -> None:
    """A tab is pressed on the way back to its panel. The second press shows the same panel or another toast."""

    class App(SimulatedApp):
        def press(self, node: str) -> events.Effects:
            found = super().press(node)
            again = self.pressed.count("Panel") > 1 and self.nodes[node].name == "Panel"
            return events.Effects(toasts=("Again",)) if again and signals == "other" else found

    panel = [
        Element("button", "Panel", opens="p", state={"expanded": False}),
        Element("link", "Away", href="/b", scope="p"),
        *([Element("button", "Show inside", scope="p", opens="q")] if times > 1 else []),
    ]
    parts = (Scope("p", "region", "Panel", hidden=True), Scope("q", "region", "Q", hidden=True))
    package = SimulatedRun(App({"/": Page(panel, parts), "/b": Page(title="B")}), environment()).complete()
    edge = next(one for one in package.transition_graph.edges if one.metadata["label"] == "Panel")
    assert (edge.metadata.get("times", 1), edge.confidence) == (times, confidence)


@pytest.mark.requirement("DISC-5b")
def test_every_entry_of_low_confidence_says_why() -> None:
    form = [
        Element("textbox", "", scope="f"),
        Element("button", "Send", scope="f", more={"affordances": ("read", "activate", "submit")}),
        Element("button", "Show details"),
        Element("custom", "Card", more={"source": "heuristic"}),
    ]
    page = Page(form, (Scope("f", "form", annotated=False),), opaque=(("canvas", "Editor"),))
    package, _, _ = explore({**SHOP, "/": page}, seeds=())
    low = [one for one in findings(package) if one["confidence"] == "low"]
    assert {next(iter(one)) for one in low} >= {
        "routeId",
        "scopeId",
        "semanticKey",
        "id",
        "stateId",
        "transitionId",
    }
    assert [one for one in low if not one["metadata"].get("why")] == []


@pytest.mark.requirement("DISC-17.1b")
def test_a_state_that_is_seen_again_adds_no_evidence() -> None:
    package, _, run = explore(SHOP)
    observed = [one for one in run.events if getattr(one, "observed", None) is not None]
    graphs = [one for one in package.evidence_index.items if one.kind == "page_graph"]
    assert len(graphs) == len(package.transition_graph.states) < len(observed)
    assert len([one for one in run.commands if isinstance(one, commands.Capture)]) == len(graphs)


@pytest.mark.requirement("DISC-6.9")
def test_the_coverage_counts_what_the_package_holds() -> None:
    page = Page(
        [Element("button", "Show details")], opaque=(("cross_origin_frame", "Pay"), ("canvas", "Map"))
    )
    package, _, _ = explore({**SHOP, "/team": page})
    covered, plain = package.coverage, msgspec.to_builtins(package)
    catalogs = [plain[catalog][member] for catalog, member in FINDINGS[:5]]
    assert [len(one) for one in catalogs] == [
        covered.routes_discovered,
        covered.scopes_discovered,
        covered.elements_discovered,
        covered.actions_discovered,
        covered.workflow_candidates_discovered,
    ]
    levels = [one["confidence"] for catalog in catalogs for one in catalog]
    summary = msgspec.to_builtins(covered.confidence_summary)
    assert summary == {level: levels.count(level) for level in ("high", "medium", "low")}
    assert covered.seeds_total == len(package.run.seeds or ()) == covered.seeds_visited
    assert covered.review_items == len(package.review_queue.items)
    regions = [
        one
        for one in package.review_queue.items
        if "cannot be read" in one.description or "canvas" in one.description
    ]
    assert covered.opaque_regions == len(regions) == 2
    unresolved = [one for one in package.transition_graph.edges if one.metadata.get("unresolved")]
    assert covered.unresolved_transitions == len(unresolved) > 0
