"""Reviews and publish gates: admitted content, and the reason of every refusal."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import (
    NOW,
    action,
    built,
    codes,
    discovery_run,
    manifest,
    messages,
    package,
    workflow,
)

PROD = {"name": "prod", "requiredReviewState": "approved", "allowWaivers": False, "forbidGeneratedOnly": True}
LATER, EARLIER, BEFORE = "2026-05-02T00:00:00Z", "2026-05-01T00:00:00Z", "2026-04-01T00:00:00Z"


def acts(state: str | None = "approved", *ids: str, **head: Any) -> dict[str, Any]:
    return manifest(
        "Actions", "acts", {"actions": [action(id) for id in ids or ("save",)]}, state=state, **head
    )


def decided(state: str, at: str = EARLIER, **target: Any) -> dict[str, Any]:
    return {"target": {"manifestId": "acts", **target}, "state": state, "by": "ann", "at": at}


def waived(at: str = EARLIER, expires: str | None = None, **target: Any) -> dict[str, Any]:
    waiver = {"target": {"manifestId": "acts", **target}, "reason": "r", "by": "bob", "at": at}
    return {**waiver, **({"expiresAt": expires} if expires else {})}


def reviews(*decisions: dict[str, Any], waivers: Any = (), id: str = "r", **head: Any) -> dict[str, Any]:
    return manifest("ReviewSet", id, {"decisions": list(decisions), "waivers": list(waivers)}, **head)


def gate(*manifests: dict[str, Any], channel: dict[str, Any] | None = None, **options: Any) -> list[str]:
    """Return the refusals of a build on one channel."""
    spec = channel or PROD
    result = built(package(*manifests, publish={"channels": [spec]}), channel=spec["name"], **options)
    assert codes(result) == [], messages(result)
    assert bool(result.data) == (not result.refusals)
    return codes(result, "refusal")


@pytest.mark.requirement("AUTH-9")
@pytest.mark.parametrize(
    ("required", "passing"),
    [
        ("approved", {"approved"}),
        ("in_review", {"approved", "in_review"}),
        ("draft", {"approved", "in_review", "draft", "generated"}),
    ],
)
@pytest.mark.parametrize("state", ["draft", "generated", "in_review", "approved", "rejected", "deprecated"])
def test_a_channel_admits_content_with_the_required_review_state(
    required: str, passing: set[str], state: str
) -> None:
    refused = gate(acts(state), channel={"name": "staging", "requiredReviewState": required})
    assert (refused == []) == (state in passing), refused


@pytest.mark.requirement("AUTH-9")
def test_content_without_a_review_state_is_a_draft() -> None:
    assert gate(acts(None)) == ["gate_review_state"]


@pytest.mark.requirement("AUTH-9")
def test_only_the_deprecated_channel_admits_deprecated_content() -> None:
    assert gate(acts("deprecated"), channel={"name": "deprecated", "requiredReviewState": "draft"}) == []
    assert gate(acts("deprecated"), channel={"name": "dev"}) == ["gate_deprecated"]


@pytest.mark.requirement("AUTH-9")
def test_an_undeclared_channel_is_refused() -> None:
    result = built(package(publish={"channels": [{"name": "dev"}]}), channel="prod")
    assert codes(result, "refusal") == ["gate_channel"]
    assert codes(built(package(), channel="prod"), "refusal") == ["gate_channel"]


@pytest.mark.requirement("AUTH-9c")
@pytest.mark.requirement("AUTH-9")
def test_a_channel_admits_only_its_contexts_and_can_require_a_digest() -> None:
    channel = {"name": "prod", "selectors": [{"environments": ["eu"]}]}
    files = package(publish={"channels": [channel]})
    assert codes(built(files, channel="prod"), "refusal") == ["gate_selector"]
    assert codes(built(files, channel="prod", environment="eu"), "refusal") == []
    bare = package(publish={"channels": [{"name": "prod", "requireDigest": True}]}, build={"digest": "none"})
    assert codes(built(bare, channel="prod"), "refusal") == ["gate_digest"]


DECISIONS: list[tuple[str, list[dict[str, Any]], bool]] = [
    ("approval of the manifest", [decided("approved")], True),
    ("approval of the item", [decided("approved", itemId="save")], True),
    ("approval by pointer", [decided("approved", path="/spec/actions/0")], True),
    ("approval of the list", [decided("approved", path="/spec/actions")], True),
    ("approval of the whole document", [decided("approved", path="")], True),
    ("rejection", [decided("rejected")], False),
    ("needs review", [decided("needs_review")], False),
    ("approval, later rejected", [decided("approved", EARLIER), decided("rejected", LATER)], False),
    ("the same in the other order", [decided("rejected", LATER), decided("approved", EARLIER)], False),
    ("rejection, later approved", [decided("rejected", EARLIER), decided("approved", LATER)], True),
    ("both at the same moment", [decided("approved"), decided("rejected")], False),
    ("approval from the future", [decided("approved", "2027-01-01T00:00:00Z")], False),
    ("approval a minute ahead in another zone", [decided("approved", "2026-06-01T02:00:01+02:00")], False),
    ("approval a minute ago in another zone", [decided("approved", "2026-06-01T01:59:00+02:00")], True),
    ("approval of another item", [decided("approved", itemId="load")], False),
    ("approval of another manifest", [{**decided("approved"), "target": {"manifestId": "app.core"}}], False),
    ("approval of a part of the item", [decided("approved", path="/spec/actions/0/title")], False),
    ("approval of another pointer", [decided("approved", path="/spec/actions/7")], False),
    (
        "rejection of a part of the item",
        [decided("approved"), decided("rejected", LATER, path="/spec/actions/0/risk")],
        False,
    ),
    (
        "item approved, manifest later rejected",
        [decided("approved", itemId="save"), decided("rejected", LATER)],
        False,
    ),
    (
        "manifest rejected, item later approved",
        [decided("rejected"), decided("approved", LATER, itemId="save")],
        True,
    ),
]


@pytest.mark.requirement("AUTH-5.9", "AUTH-9")
@pytest.mark.parametrize(("name", "decisions", "passes"), DECISIONS, ids=[row[0] for row in DECISIONS])
def test_the_newest_and_most_specific_decision_counts(
    name: str, decisions: list[dict[str, Any]], passes: bool
) -> None:
    assert (gate(acts("draft"), reviews(*decisions)) == []) is passes


@pytest.mark.requirement("AUTH-5.9")
def test_a_decision_never_changes_content() -> None:
    plain = built(package(acts("approved")))
    reviewed = built(package(acts("approved"), reviews({**decided("approved"), "comment": "x"})))
    assert plain.bundle is not None and reviewed.bundle is not None
    assert plain.bundle.actions == reviewed.bundle.actions


@pytest.mark.requirement("AUTH-7.2")
def test_an_overridden_decision_is_reported_with_both_reviewers() -> None:
    late = {**decided("rejected", LATER), "by": "cleo"}
    result = built(package(acts(), reviews(decided("approved"), late)))
    (info,) = [d for d in result.diagnostics if d.code == "decision_overridden"]
    assert "`ann`" in info.message and "`cleo`" in info.message


WAIVERS: list[tuple[str, dict[str, Any], bool]] = [
    ("valid", waived(), True),
    ("valid until tomorrow", waived(expires="2026-06-02T00:00:00Z"), True),
    ("expired yesterday", waived(expires="2026-05-31T00:00:00Z"), False),
    ("expiring this very moment", waived(expires=NOW), False),
    ("expired in its own zone", waived(expires="2026-06-01T01:00:00+02:00"), False),
    ("given in the future", waived(at="2026-07-01T00:00:00Z"), False),
    ("for the item", waived(itemId="save"), True),
    ("for another item", waived(itemId="load"), False),
    ("for a part", waived(path="/spec/actions/0/risk"), False),
]


@pytest.mark.requirement("AUTH-5.9", "AUTH-9")
@pytest.mark.parametrize(("name", "waiver", "passes"), WAIVERS, ids=[row[0] for row in WAIVERS])
def test_a_waiver_counts_while_it_is_valid_and_where_it_is_allowed(
    name: str, waiver: Any, passes: bool
) -> None:
    lenient = {**PROD, "allowWaivers": True}
    assert (gate(acts("draft"), reviews(waivers=[waiver]), channel=lenient) == []) is passes
    assert gate(acts("draft"), reviews(waivers=[waiver])) == ["gate_review_state"]


def test_a_later_rejection_overrides_a_waiver() -> None:
    lenient = {**PROD, "allowWaivers": True}
    after, before = decided("rejected", LATER), decided("rejected", BEFORE)
    assert gate(acts("draft"), reviews(after, waivers=[waived()]), channel=lenient) == ["gate_review_state"]
    assert gate(acts("draft"), reviews(before, waivers=[waived()]), channel=lenient) == []


@pytest.mark.requirement("AUTH-9")
def test_generated_content_needs_an_approving_decision() -> None:
    made = acts("approved", source="generated")
    assert gate(made) == ["gate_generated"]
    assert gate(made, reviews(decided("approved"))) == []
    assert gate(made, reviews(decided("needs_review"))) == ["gate_generated", "gate_review_state"]


@pytest.mark.requirement("AUTH-5.6")
def test_a_generated_workflow_is_refused_in_production_even_if_the_channel_does_not_require_it() -> None:
    flow = {**workflow("w"), "review": {"generatedFromDiscovery": True}}
    catalog = manifest("WorkflowCatalog", "flows", {"workflows": [flow]})
    lax = {"name": "prod", "requiredReviewState": "draft"}
    approval = {**decided("approved"), "target": {"manifestId": "flows", "itemId": "w"}}
    waiver = {**waived(), "target": {"manifestId": "flows", "itemId": "w"}}
    assert gate(catalog, channel=lax) == ["gate_generated"]
    assert gate(catalog, reviews(approval), channel=lax) == []
    assert gate(catalog, reviews(waivers=[waiver]), channel=lax) == ["gate_generated"]
    assert gate(catalog, reviews(waivers=[waiver]), channel={**lax, "allowWaivers": True}) == []
    assert gate(catalog, channel={"name": "staging"}) == []


@pytest.mark.requirement("AUTH-9", "AUTH-5.8b")
def test_an_overlay_cannot_bypass_the_gate() -> None:
    patch = {"manifestId": "acts", "path": "/spec/actions/0/risk/level", "op": "replace", "value": "confirm"}
    draft = manifest("Overlay", "o", {"selector": {}, "patches": [patch]}, state="draft")
    approved = manifest("Overlay", "o", {"selector": {}, "patches": [patch]}, state="approved")
    assert gate(acts(), draft) == ["gate_review_state", "gate_review_state"]
    assert gate(acts(), approved) == []
    assert gate(acts(), draft, reviews({**decided("approved"), "target": {"manifestId": "o"}})) == []
    assert gate(acts(), reviews(decided("approved", itemId="save")), draft) == ["gate_review_state"] * 2


@pytest.mark.requirement("AUTH-5.6", "AUTH-9")
def test_an_overlay_cannot_remove_the_generated_mark() -> None:
    flow = {**workflow("w"), "review": {"generatedFromDiscovery": True}}
    catalog = manifest("WorkflowCatalog", "flows", {"workflows": [flow]})
    patch = {
        "manifestId": "flows",
        "path": "/spec/workflows/0/review",
        "op": "replace",
        "value": {"level": "approved"},
    }
    overlay = manifest("Overlay", "o", {"selector": {}, "patches": [patch]})
    assert gate(catalog, overlay) == ["gate_generated"]


@pytest.mark.requirement("AUTH-9")
def test_an_import_cannot_bypass_the_gate() -> None:
    def imported(*manifests: dict[str, Any]) -> list[str]:
        held = {"lib": {"1.0.0": package(*manifests, packageId="lib", app=False)}}
        wanted = [{"packageId": "lib", "versionRange": "*", "alias": "l"}]
        result = built(package(imports=wanted, publish={"channels": [PROD]}), channel="prod", imports=held)
        return codes(result, "refusal")

    assert imported(acts("draft")) == ["gate_review_state"]
    assert imported(acts("draft"), reviews(decided("approved"))) == []
    foreign = {**decided("approved"), "target": {"manifestId": "app.core"}}
    held = {"lib": {"1.0.0": package(reviews(foreign), packageId="lib", app=False)}}
    wanted = [{"packageId": "lib", "versionRange": "*", "alias": "l"}]
    app = manifest("App", "app.core", {"appId": "a", "displayName": "A"}, state="draft")
    files = package(app, imports=wanted, publish={"channels": [PROD]})
    assert codes(built(files, channel="prod", imports=held), "refusal") == ["gate_review_state"]


def test_a_review_set_that_is_rejected_or_generated_approves_nothing() -> None:
    for head in ({"state": "rejected"}, {"source": "generated"}):
        assert gate(acts("draft"), reviews(decided("approved"), **head)) == ["gate_review_state"]


@pytest.mark.requirement("AUTH-5.9")
def test_times_without_a_zone_and_decisions_without_a_name_are_errors() -> None:
    bad = reviews(
        decided("approved", "2026-05-01T00:00:00"),
        {**decided("approved"), "by": " "},
        waivers=[waived(at="soon")],
    )
    assert sorted(codes(built(package(acts(), bad)))) == ["bad_time", "bad_time", "no_reviewer"]


def test_a_decision_about_an_unknown_target_is_reported() -> None:
    lost = reviews(
        decided("approved", itemId="lod"), {**decided("approved"), "target": {"manifestId": "akts"}}
    )
    assert codes(built(package(acts(), lost)), "warning") == ["unknown_review_target"] * 2


@pytest.mark.requirement("AUTH-5.4")
def test_an_approved_action_without_implementation_is_an_error() -> None:
    bare = [action("later", implementation={"kind": "none"})]
    for state, expected in (("approved", ["implementation_none"]), ("draft", []), ("in_review", [])):
        assert codes(built(package(manifest("Actions", "acts", {"actions": bare}, state=state)))) == expected


@pytest.mark.requirement("AUTH-10.2")
def test_generated_content_without_a_decision_is_a_warning() -> None:
    made = acts("in_review", source="generated")
    assert codes(built(package(made)), "warning") == ["review_needed"]
    assert codes(built(package(made, reviews(decided("needs_review")))), "warning") == []
    traced = manifest("Overlay", "heal", {"selector": {}, "patches": []})
    traced["status"] = {"provenance": [{"source": "runtime-trace", "ref": "t1"}]}
    assert codes(built(package(acts(), traced)), "warning") == ["review_needed"]
    run = discovery_run(
        "r1", actions=[{"id": "found", "kind": "domain", "discoveredBy": [], "confidence": "high"}]
    )
    rule = {"kind": "action", "targetManifestId": "acts", "mode": "promote"}
    take = manifest("DiscoveryImport", "d", {"source": {"runId": "r1"}, "accept": [rule]})
    assert "review_needed" in codes(built(package(acts("draft"), take), discovery={"r1": run}), "warning")
