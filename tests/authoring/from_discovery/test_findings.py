"""Findings of discovery are imported only by rules, and stay marked as generated."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET

from tests.authoring.bad_paths import BAD
from tests.authoring.folders import built, codes, discovery_run, manifest, messages, package
from uiap.authoring.analysis.provenance import provenance

SEEN: dict[str, Any] = {"discoveredBy": [{"source": "dom", "refId": "tr_1"}], "confidence": "high"}
RUN = discovery_run(
    "run1",
    routes=[{"routeId": "home", "urls": ["http://localhost/home?x=1"], "titles": ["Home"], **SEEN}],
    scopes=[{"scopeId": "main", "kind": "form", "routeIds": ["home"], "names": ["Main"], **SEEN}],
    elements=[
        {
            "stableId": "save",
            "semanticKey": "k1",
            "role": "button",
            "names": ["Save"],
            "scopes": ["main"],
            **SEEN,
        },
        {"semanticKey": "k2", "role": "link", "names": ["More"], "risk": {"level": "confirm"}, **SEEN},
    ],
    actions=[{"id": "doc.save", "kind": "candidate", **SEEN}],
    workflows=[
        {
            "id": "flow",
            "stepSkeleton": [{"type": "action", "actionId": "doc.save"}, {"type": "instruction"}],
            **SEEN,
        }
    ],
    items=[
        {
            "id": "rev_1",
            "severity": "high",
            "kind": "ambiguous_target",
            "description": "two Save",
            "evidence": [],
        }
    ],
)
BOUND = manifest("Bindings", "bound", {"routes": [], "scopes": [], "elements": []}, state="draft")
ACTS = manifest("Actions", "acts", {"actions": []}, state="draft")
FLOWS = manifest("WorkflowCatalog", "flows", {"workflows": []}, state="draft")


def rule(kind: str, target: str, mode: str = "copy", **members: Any) -> dict[str, Any]:
    return {"kind": kind, "targetManifestId": target, "mode": mode, **members}


def build_with_discovery(
    *accept: dict[str, Any], reject: Any = (), bound: Any = BOUND, **options: Any
) -> Any:
    spec = {"source": {"runId": "run1"}, "accept": list(accept), "reject": list(reject)}
    take = manifest("DiscoveryImport", "take", spec, state="draft")
    return built(package(bound, ACTS, FLOWS, take), discovery={"run1": RUN}, **options)


@pytest.mark.requirement("AUTH-5.10")
def test_without_a_rule_nothing_is_imported() -> None:
    result = build_with_discovery()
    assert result.bundle is not None, messages(result)
    assert (result.bundle.bindings, result.bundle.actions, result.bundle.workflows) == (UNSET, UNSET, UNSET)


@pytest.mark.requirement("AUTH-5.10d")
@pytest.mark.requirement("AUTH-5.10")
def test_rules_import_each_kind_of_finding() -> None:
    result = build_with_discovery(
        rule("route", "bound"),
        rule("scope", "bound"),
        rule("element", "bound"),
        rule("action", "acts"),
        rule("workflowCandidate", "flows"),
    )
    assert result.bundle is not None, messages(result)
    bindings = result.bundle.bindings
    assert [r.id for r in bindings.routes] == ["home"]
    assert [m.value for m in bindings.routes[0].match] == ["home", "/home"]
    assert [s.id for s in bindings.scopes] == ["main"]
    assert [(e.id, e.match[0].by) for e in bindings.elements] == [("k2", "semantic"), ("save", "annotation")]
    assert [(a.id, a.kind, a.risk.level, a.implementation.kind) for a in result.bundle.actions] == [
        ("doc.save", "domain", "confirm", "none")
    ]
    (flow,) = result.bundle.workflows
    assert [s.type for s in flow.steps] == ["action", "instruction", "complete"]


@pytest.mark.requirement("AUTH-5.10b")
@pytest.mark.requirement("AUTH-5.10")
def test_ids_limit_a_rule_and_rejections_win() -> None:
    some = build_with_discovery(
        rule("route", "bound"), rule("scope", "bound"), rule("element", "bound", ids=["save"])
    )
    assert [e.id for e in some.bundle.bindings.elements] == ["save"]
    none = build_with_discovery(
        rule("element", "bound", ids=["k2"]), reject=[{"kind": "element", "ids": ["k2"], "reason": "noise"}]
    )
    assert codes(none, "info") == ["discovery_rejected"]
    assert codes(build_with_discovery(rule("element", "bound", ids=["nope"]))) == ["discovery_missing"]


@pytest.mark.requirement("AUTH-5.10")
def test_copy_keeps_authored_items_and_promote_fills_in_missing_members() -> None:
    own = {"elements": [{"id": "k2", "name": "Mine", "match": [{"by": "text", "text": "More"}]}]}
    bound = manifest("Bindings", "bound", own, state="draft")
    copied = build_with_discovery(rule("element", "bound", ids=["k2"]), bound=bound)
    assert "discovery_exists" in codes(copied, "warning")
    assert copied.bundle.bindings.elements[0].role is UNSET
    promoted = build_with_discovery(rule("element", "bound", "promote", ids=["k2"]), bound=bound)
    (element,) = promoted.bundle.bindings.elements
    assert (element.name, element.role, [m.by for m in element.match]) == ("Mine", "link", ["text"])


@pytest.mark.requirement("AUTH-5.10c")
@pytest.mark.requirement("AUTH-5.10", "AUTH-10")
def test_link_adds_evidence_and_no_content() -> None:
    own = {"elements": [{"id": "k2", "match": [{"by": "text", "text": "More"}]}]}
    bound = manifest("Bindings", "bound", own, state="draft")
    linked = build_with_discovery(rule("element", "bound", "link", ids=["k2"]), bound=bound)
    plain = build_with_discovery(bound=bound)
    assert linked.bundle.bindings == plain.bundle.bindings
    assert [(r.source, r.ref) for r in provenance(linked)["elements/k2"]] == [
        ("manual", "bound.uiap.yaml"),
        ("discovery", "run1"),
    ]
    assert codes(build_with_discovery(rule("element", "bound", "link", ids=["save"])), "warning") == [
        "discovery_link"
    ]


@pytest.mark.requirement("AUTH-10c")
@pytest.mark.requirement("AUTH-10")
def test_copied_content_names_its_run_as_its_only_source() -> None:
    result = build_with_discovery(rule("route", "bound"))
    assert [(r.source, r.ref) for r in provenance(result)["routes/home"]] == [("discovery", "run1")]


@pytest.mark.requirement("AUTH-5.10", "AUTH-9")
def test_copied_content_counts_as_generated_and_needs_a_decision() -> None:
    prod = {"name": "prod", "requiredReviewState": "draft", "forbidGeneratedOnly": True}
    spec = {"source": {"runId": "run1"}, "accept": [rule("route", "bound")]}
    take = manifest("DiscoveryImport", "take", spec)
    approval = {
        "target": {"manifestId": "bound", "itemId": "home"},
        "state": "approved",
        "by": "a",
        "at": "2026-01-01T00:00:00Z",
    }
    files = package(BOUND, take, publish={"channels": [prod]})
    assert codes(built(files, discovery={"run1": RUN}, channel="prod"), "refusal") == ["gate_generated"]
    reviewed = package(
        BOUND, take, manifest("ReviewSet", "r", {"decisions": [approval]}), publish={"channels": [prod]}
    )
    assert codes(built(reviewed, discovery={"run1": RUN}, channel="prod"), "refusal") == []


def test_review_items_become_warnings() -> None:
    result = build_with_discovery(rule("reviewItem", "bound", "link"))
    (found,) = [d for d in result.diagnostics if d.code == "discovery_review"]
    assert "two Save" in found.message


@pytest.mark.requirement("CAP-SEC.3")
def test_a_declared_risk_lower_than_the_observed_one_is_a_warning() -> None:
    own = {"elements": [{"id": "k2", "risk": "safe", "match": [{"by": "text", "text": "More"}]}]}
    result = build_with_discovery(
        rule("element", "bound", "link", ids=["k2"]), bound=manifest("Bindings", "bound", own)
    )
    assert "risk_laxer_than_evidence" in codes(result, "warning")


@pytest.mark.requirement("AUTH-5.10g")
def test_a_discovery_package_in_the_folder_is_read_by_its_path() -> None:
    spec = {
        "source": {"runId": "run1", "ref": "discovery/run1.discovery.json"},
        "accept": [rule("route", "bound")],
    }
    files = package(BOUND, manifest("DiscoveryImport", "take", spec, state="draft"))
    result = built({**files, "discovery/run1.discovery.json": RUN})
    assert result.bundle is not None, messages(result)
    assert codes(built(files)) == ["discovery_missing"]
    other = {**files, "discovery/run1.discovery.json": RUN.replace('"runId":"run1"', '"runId":"run2"')}
    assert codes(built(other)) == ["discovery_run"]
    assert codes(built({**files, "discovery/run1.discovery.json": '{"run": 1}'})) == ["discovery_invalid"]
    assert codes(built({**files, "discovery/run1.discovery.json": "{"})) == ["json_syntax"]


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("ref", [path for path in BAD if path])
def test_a_source_outside_the_package_is_refused(ref: str) -> None:
    take = manifest("DiscoveryImport", "take", {"source": {"ref": ref}, "accept": [rule("route", "bound")]})
    found = codes(built(package(BOUND, take)))
    assert found and set(found) <= {"bad_path", "discovery_missing", "yaml_syntax"}, found
    assert found != ["discovery_missing"]  # it was not searched for


@pytest.mark.parametrize("target", ["nope", "acts"])
def test_a_rule_needs_a_target_of_its_kind(target: str) -> None:
    assert codes(build_with_discovery(rule("route", target))) == ["discovery_target"]
