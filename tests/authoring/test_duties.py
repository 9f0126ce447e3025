"""Duties of a build that no single module has: contexts, imports, references, reviews and provenance together."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click
import pytest

from tests.authoring.assembly.test_imports import SAVE, lib, library, wants
from tests.authoring.checks.test_review import acts, decided, gate, reviews, waived
from tests.authoring.folders import (
    action,
    built,
    codes,
    discovery_run,
    folder,
    manifest,
    messages,
    package,
    policy,
    text,
    workflow,
)
from tests.cli import packages as cli
from uiap.authoring.analysis.diff import diff
from uiap.authoring.analysis.provenance import provenance
from uiap.authoring.analysis.review_states import review_states
from uiap.cli import build, validate

APP = {
    "appId": "shop",
    "displayName": "Shop",
    "environments": [{"id": "eu"}],
    "supportedLocales": ["de"],
    "principalProfiles": [{"id": "guest", "roles": ["reader"]}],
}
MATCH = [{"by": "text", "text": "x"}]


def overlay(
    selector: dict[str, Any], *patches: dict[str, Any], id: str = "over", **head: Any
) -> dict[str, Any]:
    return manifest("Overlay", id, {"selector": selector, "patches": list(patches)}, **head)


def patch(target: str, path: str, op: str, value: Any = None, **more: Any) -> dict[str, Any]:
    given = {} if op == "remove" else {"value": value}
    return {"manifestId": target, "path": path, "op": op, **given, **more}


# -- reviews ------------------------------------------------------------------------------------------------


@pytest.mark.requirement("AUTH-2.4", "AUTH-3.1b")
def test_the_review_state_of_every_item_is_read_by_a_program_with_its_decision_or_waiver() -> None:
    mixed = reviews(decided("rejected", itemId="two"), waivers=[waived(itemId="one")])
    files = package(acts("approved", "one", "two", "three"), mixed, version="3.1.4")
    found = {(r.manifest_id, r.item_id or ""): r for r in review_states(built(files))}
    assert [found["acts", id].state for id in ("", "one", "two", "three")] == [
        "approved",
        "approved",
        "rejected",
        "approved",
    ]
    decision, waiver = found["acts", "two"].decision, found["acts", "one"].waiver
    assert decision and decision.by == "ann" and waiver and waiver.reason == "r"
    assert not found["acts", "three"].decision and not found["acts", "three"].waiver
    assert {one.version for one in found.values()} == {"3.1.4"}, "no manifest has a version of its own"
    report = run(validate.command, files)
    assert len(report["reviews"]) == len(found)


@pytest.mark.requirement("AUTH-3.1c")
def test_each_review_state_has_its_own_effect_on_the_gates() -> None:
    channels: list[dict[str, Any]] = [
        {"name": "staging", "requiredReviewState": "in_review"},
        {"name": "staging", "requiredReviewState": "approved"},
        {"name": "staging", "requiredReviewState": "draft", "forbidGeneratedOnly": True},
        {"name": "staging", "requiredReviewState": "draft"},
        {"name": "deprecated", "requiredReviewState": "draft"},
    ]
    states = ("draft", "generated", "in_review", "approved", "rejected", "deprecated")
    effects = {state: tuple(gate(acts(state), channel=one) == [] for one in channels) for state in states}
    assert effects["approved"] == (True, True, True, True, True)
    assert effects["rejected"] == (False, False, False, False, False)
    assert len(set(effects.values())) == len(states), effects


@pytest.mark.requirement("AUTH-5.6c")
def test_each_review_hint_of_a_workflow_changes_what_the_gates_ask() -> None:
    channel = {"name": "staging", "requiredReviewState": "approved", "allowWaivers": True}
    prod = {"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}

    def asked(channel: dict[str, Any], *more: dict[str, Any], **hints: Any) -> list[str]:
        flows = manifest("WorkflowCatalog", "acts", {"workflows": [{**workflow("w"), "review": hints}]})
        return gate(flows, *more, channel=channel)

    approval = reviews(decided("approved", itemId="w"))
    waiver = reviews(waivers=[waived(itemId="w")])
    assert asked(channel, level="approved") == [] and asked(channel) == []
    assert (
        asked(channel, level="candidate") == ["gate_review_state"]
        and asked(channel, waiver, level="draft") == []
    )
    assert asked(channel, highRisk=True) == ["gate_high_risk"] and asked(channel, waiver, highRisk=True) != []
    assert asked(prod, generatedFromDiscovery=True) == ["gate_generated"]
    for hints in ({"level": "draft"}, {"highRisk": True}, {"generatedFromDiscovery": True}):
        assert asked(prod, approval, **hints) == []


@pytest.mark.requirement("AUTH-5.9b")
def test_a_decision_covers_only_what_it_aims_at() -> None:
    files = acts("draft", "one", "two")
    assert gate(files, reviews(decided("approved"))) == []
    for target in ({"itemId": "one"}, {"path": "/spec/actions/0"}):
        assert gate(files, reviews(decided("approved", **target))) == ["gate_review_state"]
    both = reviews(decided("approved", path="/spec/actions/0"), decided("approved", itemId="two"))
    assert gate(files, both) == []
    part = reviews(decided("approved", path="/spec/actions/0/risk"), decided("approved", itemId="two"))
    assert gate(files, part) == ["gate_review_state"], "a part of an item is not the item"


@pytest.mark.requirement("AUTH-5.9c")
def test_a_rejecting_decision_is_not_undone_by_metadata_that_says_approved() -> None:
    assert gate(acts("approved"), reviews(decided("rejected"))) == ["gate_review_state"]
    assert gate(acts("approved"), reviews(decided("needs_review"))) == ["gate_review_state"]
    assert gate(acts("rejected"), reviews(decided("approved"))) == []


@pytest.mark.requirement("AUTH-9b")
@pytest.mark.parametrize(
    ("lenient", "strict", "code", "options"),
    [
        ({"requiredReviewState": "draft"}, {"requiredReviewState": "approved"}, "gate_review_state", {}),
        ({"allowWaivers": True}, {"allowWaivers": False}, "gate_review_state", {}),
        ({"forbidGeneratedOnly": False}, {"forbidGeneratedOnly": True}, "gate_generated", {}),
        ({"requireDigest": False}, {"requireDigest": True}, "gate_digest", {"build": {"digest": "none"}}),
        ({"selectors": [{}]}, {"selectors": [{"environments": ["eu"]}]}, "gate_selector", {}),
    ],
)
def test_each_member_of_a_gate_alone_can_stop_the_output(
    lenient: dict[str, Any], strict: dict[str, Any], code: str, options: dict[str, Any]
) -> None:
    usual = {"name": "staging", "requiredReviewState": "draft", "allowWaivers": True}
    if "allowWaivers" in lenient:
        usual["requiredReviewState"] = "approved"
    head = {"source": "generated"} if "forbidGeneratedOnly" in lenient else {}
    content = [acts("draft", **head), reviews(waivers=[waived()])]
    if "forbidGeneratedOnly" in lenient or "requiredReviewState" in lenient:
        content = content[:1]
    for channel, passes in (({**usual, **lenient}, True), ({**usual, **strict}, False)):
        result = built(package(*content, publish={"channels": [channel]}, **options), channel="staging")
        assert bool(result.data) is passes, messages(result)
        assert codes(result, "refusal") == ([] if passes else [code])


# -- contexts and references --------------------------------------------------------------------------------


@pytest.mark.requirement("AUTH-5.1b", "AUTH-5.1")
@pytest.mark.parametrize("member", ["environments", "locales", "principalProfiles"])
def test_a_selector_that_names_what_the_app_does_not_declare_is_reported(member: str) -> None:
    app = manifest("App", "app.core", APP)
    known = {"environments": "eu", "locales": "de", "principalProfiles": "guest"}[member]
    for value, expected in ((known, []), ("typo", ["unknown_selector"])):
        over = overlay({member: [value]}, patch("app.core", "/spec/displayName", "replace", "B"))
        result = built(package(app, over))
        assert codes(result, "warning") == expected, messages(result)
    (found,) = [d for d in result.diagnostics if d.code == "unknown_selector"]
    assert "typo" in found.message and found.line and known in str(found.hint)


@pytest.mark.requirement("AUTH-5.2b", "CAP-10b")
def test_words_that_the_capabilities_lack_are_reported() -> None:
    described = action("video.save", success=[{"kind": "status.contains", "text": "a"}] * 2)
    described.pop("implementation")
    document = {
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "roles": ["button"],
        "stateKeys": ["visible"],
        "affordances": ["read"],
        "actions": [described],
        "riskLevels": ["safe"],
        "successSignalKinds": ["toast.contains"],
    }
    used = action("video.drop", requiredAffordances=["drop"], success=[{"kind": "route.changed"}] * 2)
    bound = {"elements": [{"id": "e", "role": "link", "match": MATCH}]}
    result = built(
        package(
            manifest("Capabilities", "caps", {"document": document}),
            manifest("Actions", "used", {"actions": [used]}),
            manifest("Bindings", "bound", bound),
        )
    )
    found = {d.message.split("`")[1] for d in result.diagnostics if d.code == "not_in_capabilities"}
    assert found == {"video.drop", "drop", "route.changed", "link", "status.contains"}


@pytest.mark.requirement("CAP-7.2b", "CAP-9e", "CAP-9.2")
def test_ids_and_signals_that_stand_for_core_words_are_linted() -> None:
    ids = [action(id) for id in ("save", "ui.magic", "nav.leap", "video.save")]
    result = built(package(manifest("Actions", "a", {"actions": ids})))
    named = [d.message.split("`")[1] for d in result.diagnostics if d.code == "action_id"]
    assert named == ["save", "ui.magic", "nav.leap"]
    custom = [{"kind": "custom", "name": "route.changed"}, {"kind": "custom", "name": "sync.done"}]
    result = built(package(manifest("Actions", "a", {"actions": [action("a.b", success=custom)]})))
    assert codes(result, "warning") == ["custom_core_signal"]


@pytest.mark.requirement("AUTH-5.8c")
@pytest.mark.parametrize(
    ("member", "name", "value"),
    [
        ("environments", "environment", "eu"),
        ("channels", "channel", "dev"),
        ("locales", "locale", "de"),
        ("tenantIds", "tenant_id", "t1"),
        ("principalProfiles", "principal_profile", "guest"),
        ("appVersionRanges", "app_version", "1.2.0"),
    ],
)
def test_each_member_of_a_selector_alone_decides_whether_an_overlay_applies(
    member: str, name: str, value: str
) -> None:
    entry = "^1" if name == "app_version" else value
    over = overlay({member: [entry]}, patch("app.core", "/spec/displayName", "replace", "B"))
    files = package(
        manifest("App", "app.core", APP), over, publish={"channels": [{"name": "dev"}, {"name": "prod"}]}
    )
    other = {"app_version": "2.0.0", "channel": "deprecated"}.get(name, "other")
    for given, applies in ((value, True), (other, False)):
        result = built(files, **{name: given})
        assert result.content is not None and result.content.app is not None
        assert result.content.app.spec["displayName"] == ("B" if applies else "Shop"), (
            given,
            messages(result),
        )


@pytest.mark.requirement("AUTH-5.8d")
@pytest.mark.parametrize(
    "bad",
    [
        patch("acts", "/spec/nothing/3", "replace", 1),
        patch("acts", "/spec/actions", "merge", {"a": 1}),
        patch("acts", "/spec/actions/0/title", "append", "x"),
        patch("acts", "/spec/actions", "upsert", {"id": "n"}, matchKey="metadata.key"),
        patch("acts", "/spec/actions/9", "remove"),
    ],
)
def test_a_patch_that_cannot_be_applied_is_an_error(bad: dict[str, Any]) -> None:
    result = built(package(acts("approved", "one", "two"), overlay({}, bad)))
    assert result.errors and not result.data
    assert result.errors[0].file == "over.uiap.yaml" and result.errors[0].line


NOWHERE = {"kind": "element.appeared", "target": {"by": "scope", "value": "no"}}
STEPS = [{"id": "a", "type": "action", "actionId": "no"}, {"id": "z", "type": "complete"}]
APPROVAL = {"target": {"manifestId": "no"}, "state": "approved", "by": "a", "at": "2026-01-01T00:00:00Z"}


def element(**members: Any) -> dict[str, Any]:
    return manifest("Bindings", "b", {"elements": [{"id": "e", "match": MATCH, **members}]})


@pytest.mark.requirement("AUTH-7b")
@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (element(scopeId="no"), "scope `no`"),
        (element(routeIds=["no"]), "route `no`"),
        (element(defaultAction="no"), "action `no`"),
        (
            manifest("Bindings", "b", {"scopes": [{"id": "s", "kind": "form", "parentScopeId": "no"}]}),
            "scope `no`",
        ),
        (
            manifest("Bindings", "b", {"routes": [{"id": "r", "match": [], "parentRouteId": "no"}]}),
            "route `no`",
        ),
        (manifest("Actions", "b", {"actions": [action("a.b", success=[NOWHERE])]}), "scope `no`"),
        (manifest("WorkflowCatalog", "b", {"workflows": [workflow("w", steps=STEPS)]}), "action `no`"),
        (overlay({}, patch("no", "/spec", "merge", {}), id="b"), "manifest `no`"),
        (reviews(APPROVAL, id="b"), "manifest `no`"),
    ],
)
def test_every_kind_of_reference_that_points_nowhere_is_reported_with_its_line(
    broken: dict[str, Any], words: str
) -> None:
    result = built(package(broken))
    found = [d for d in result.diagnostics if words in d.message and d.severity in ("error", "warning")]
    assert found and found[0].file == "b.uiap.yaml" and found[0].line, messages(result)


# -- imports and merging ------------------------------------------------------------------------------------


@pytest.mark.requirement("AUTH-4.1g")
def test_the_app_may_come_from_an_import_and_an_overlay() -> None:
    shared = manifest("App", "app.core", APP)
    over = overlay({}, patch("l:app.core", "/spec/displayName", "replace", "Mine"))
    result = built(package(over, imports=[wants()], app=False), imports=library(lib("lib", "1.0.0", shared)))
    assert result.bundle is not None, messages(result)
    assert (result.bundle.app.app_id, result.bundle.app.display_name) == ("shop", "Mine")


@pytest.mark.requirement("AUTH-6b")
def test_an_imported_manifest_is_named_only_by_its_qualified_id() -> None:
    held = library(lib("lib", "1.0.0", SAVE))
    for id, expected in (("l:actions", []), ("actions", ["unknown_manifest"])):
        over = overlay({}, patch(id, "/spec/actions/0", "merge", {"title": "T"}))
        assert codes(built(package(over, imports=[wants()]), imports=held)) == expected


@pytest.mark.requirement("AUTH-7.1d")
@pytest.mark.requirement("AUTH-5.4b")
def test_incompatible_implementations_of_one_action_are_an_error() -> None:
    one = manifest("Actions", "one", {"actions": [action("a.b")]})
    other = action("a.b", implementation={"kind": "sdkHandler", "ref": "other.handler"})
    two = manifest("Actions", "two", {"actions": [other]})
    (error,) = built(package(one, two)).errors
    assert error.code == "merge_conflict" and "/implementation/ref" in error.pointer


@pytest.mark.requirement("AUTH-7.1e")
def test_one_workflow_id_with_two_structures_is_a_conflict_and_an_overlay_may_address_it() -> None:
    one = manifest("WorkflowCatalog", "one", {"workflows": [workflow("w")]})
    two = manifest("WorkflowCatalog", "two", {"workflows": [workflow("w", title="Other")]})
    (error,) = built(package(one, two)).errors
    assert error.code == "merge_conflict" and "two.uiap.yaml" in error.file
    fixed = patch("two", "/spec/workflows/0/definition/title", "replace", "T")
    assert codes(built(package(one, two, overlay({}, fixed)))) == []


@pytest.mark.requirement("AUTH-13")
@pytest.mark.parametrize(
    ("changed", "member"),
    [
        ("app.core", "app"),
        ("b", "bindings"),
        ("a", "actions"),
        ("p", "policies"),
        ("w", "workflows"),
        ("texts", "locales"),
        ("over", "app"),
        ("r", ""),
    ],
)
def test_each_required_kind_of_one_package_has_its_effect(changed: str, member: str) -> None:
    """Without one manifest, the bundle lacks exactly what it brought, or the gate refuses it."""
    listed = [
        manifest("App", "app.core", APP),
        manifest("Bindings", "b", {"elements": [{"id": "e", "match": MATCH}]}, state="draft"),
        manifest("Actions", "a", {"actions": [action("a.b")]}),
        manifest("PolicySet", "p", {"policies": [policy("p")]}),
        manifest("WorkflowCatalog", "w", {"workflows": [workflow("w")]}),
        manifest("LocalePack", "texts", {"namespaces": {"n": {"messages": {"k": {"default": "D"}}}}}),
        overlay({}, patch("app.core", "/spec/displayName", "replace", "Mine")),
        reviews(
            {"target": {"manifestId": "b"}, "state": "approved", "by": "a", "at": "2026-01-01T00:00:00Z"}
        ),
    ]
    context = {"channel": "prod", "locale": "de"}
    channel = {"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}
    whole = built(package(*listed, publish={"channels": [channel]}), **context)
    assert whole.bundle is not None, messages(whole)
    kept = [one for one in listed if one["metadata"]["id"] != changed]
    if changed == "app.core":
        kept = [one for one in kept if one["kind"] != "Overlay"]
    part = built(package(*kept, publish={"channels": [channel]}), **context)
    if changed == "r":
        assert codes(part, "refusal") == ["gate_review_state"]
        return
    before, after = (json.loads(one.data).get(member) for one in (whole, part))
    assert before != after, member


# -- discovery and provenance -------------------------------------------------------------------------------

SEEN: dict[str, Any] = {"discoveredBy": [{"source": "dom", "refId": "tr_1"}], "confidence": "high"}


def with_run(rules: list[dict[str, Any]], *manifests: dict[str, Any], **catalogs: Any) -> Any:
    take = manifest("DiscoveryImport", "take", {"source": {"runId": "run1"}, "accept": rules}, state="draft")
    return built(package(*manifests, take), discovery={"run1": discovery_run("run1", **catalogs)})


@pytest.mark.requirement("AUTH-5.10e")
def test_a_discovered_route_pattern_stays_a_pattern() -> None:
    route = {
        "routeId": "/videos/:id",
        "urls": ["http://localhost/videos/1"],
        "metadata": {"pattern": "/videos/:id"},
        **SEEN,
    }
    bound = manifest("Bindings", "bound", {"routes": []}, state="draft")
    result = with_run([{"kind": "route", "targetManifestId": "bound"}], bound, routes=[route])
    (found,) = result.bundle.bindings.routes
    assert [(m.kind, m.value) for m in found.match] == [("urlPattern", "/videos/:id")]


@pytest.mark.requirement("AUTH-5.10f")
def test_an_accepted_candidate_is_a_valid_workflow_or_is_refused_with_the_reason() -> None:
    flows = manifest("WorkflowCatalog", "flows", {"workflows": []}, state="draft")
    accept = [{"kind": "workflowCandidate", "targetManifestId": "flows"}]
    good = {"id": "good", "stepSkeleton": [{"type": "instruction"}], **SEEN}
    result = with_run(accept, flows, workflows=[good])
    assert [one.id for one in result.bundle.workflows] == ["good"], messages(result)
    bad = {"id": "bad", "stepSkeleton": [{"type": "collect", "parameterNames": ["ghost"]}], **SEEN}
    refused = with_run([{**accept[0], "ids": ["bad"]}], flows, workflows=[bad])
    (error,) = refused.errors
    assert error.code == "discovery_candidate" and "ghost" in error.message and not refused.data
    rest = with_run(accept, flows, workflows=[good, bad])
    assert [one.id for one in rest.bundle.workflows] == ["good"], messages(rest)
    assert any("ghost" in one.message for one in rest.diagnostics if one.code == "discovery_candidate")


@pytest.mark.requirement("AUTH-5.10")
def test_an_element_without_anything_to_recognise_it_by_is_left_out_with_a_warning() -> None:
    bound = manifest("Bindings", "bound", {"elements": []}, state="draft")
    element = {"semanticKey": "/|main|x.clickable|", "role": "custom", "affordances": ["activate"], **SEEN}
    accept = [{"kind": "element", "targetManifestId": "bound"}]
    named = {**element, "semanticKey": "/|main|x.clickable|tile", "names": ["Tile"]}
    result = with_run(accept, bound, elements=[element, named])
    assert [one.id for one in result.bundle.bindings.elements] == ["/|main|x.clickable|tile"]
    assert any("nothing" in one.message or "no name" in one.message for one in result.diagnostics)


@pytest.mark.requirement("AUTH-10d", "AUTH-10")
def test_each_source_of_content_has_its_provenance() -> None:
    route = {"routeId": "home", "urls": ["http://localhost/home"], **SEEN}
    trace = {"status": {"provenance": [{"source": "runtime-trace", "ref": "act_1"}]}}
    healed = {
        **overlay({}, patch("acts", "/spec/actions/0", "merge", {"title": "T"}), state="draft"),
        **trace,
    }
    take = {"source": {"runId": "run1"}, "accept": [{"kind": "route", "targetManifestId": "bound"}]}
    result = built(
        package(
            acts("draft", "hand.made"),
            manifest("Actions", "made", {"actions": [action("made.up")]}, state="draft", source="generated"),
            manifest("Bindings", "bound", {"routes": []}, state="draft"),
            manifest("DiscoveryImport", "take", take, state="draft"),
            healed,
            imports=[wants()],
        ),
        discovery={"run1": discovery_run("run1", routes=[route])},
        imports=library(lib("lib", "1.0.0", SAVE)),
    )
    sources = {key: [record.source for record in records] for key, records in provenance(result).items()}
    assert sources == {
        "actions/hand.made": ["manual", "runtime-trace"],
        "actions/made.up": ["generated"],
        "actions/save": ["import"],
        "routes/home": ["discovery"],
    }


@pytest.mark.requirement("AUTH-11c")
def test_an_added_overlay_or_locale_asks_for_a_minor_step() -> None:
    def made(*more: dict[str, Any], **app: Any) -> Any:
        result = built(package(manifest("App", "app.core", {**APP, **app}), *more))
        assert result.bundle is not None, messages(result)
        return result.bundle

    over = overlay({}, patch("app.core", "/spec/displayName", "replace", "Shop"))
    assert diff(made(), made(over)).needed == "minor"
    assert diff(made(), made(supportedLocales=["de", "fr"])).needed == "minor"
    assert diff(made(), made(displayName="Store")).needed == "patch"


# -- commands -----------------------------------------------------------------------------------------------


def run(command: click.Command, files: dict[str, str], *options: str) -> Any:
    with TemporaryDirectory() as folder:
        return cli.run(command, cli.write(Path(folder, "p"), files), "--no-cache", "--json", *options).json


@pytest.mark.requirement("AUTH-10b")
def test_the_build_report_has_the_warnings_and_the_digest() -> None:
    files = package(manifest("Actions", "a", {"actions": [action("a.b", success=[])]}))
    report = run(build.command, files)
    assert [one["code"] for one in report["diagnostics"] if one["severity"] == "warning"] == [
        "no_success_signal"
    ]
    assert report["digest"] == built(files).bundle.digest  # type: ignore[union-attr]


@pytest.mark.requirement("AUTH-SEC.3b", "AUTH-SEC.3")
def test_validate_and_build_open_no_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(socket.socket, "connect", lambda _self, address: opened.append(address))
    files = folder("videoland-example")
    for command in (validate.command, build.command):
        run(command, files, "--import", str(cli.SHARED), "--channel", "staging")
    first = built(package(acts()))
    assert first.bundle is not None and diff(first.bundle, first.bundle).needed == "none"
    assert opened == []


@pytest.mark.requirement("AUTH-SEC.2")
def test_a_credential_in_a_manifest_is_linted() -> None:
    files = package(acts())
    secret = "api" + "_key: abcdefghijklmnopqrstuv0123456789"
    noted = {**json.loads(files["acts.uiap.yaml"])}
    noted["metadata"]["description"] = secret
    found = codes(built({**files, "acts.uiap.yaml": text(noted)}), "warning", "error")
    assert [one for one in found if "credential" in one or "secret" in one], found


@pytest.mark.requirement("RUN-27")
def test_a_policy_for_some_profiles_stays_in_a_bundle_that_names_no_profile() -> None:
    guests = {**policy("guests"), "selector": {"principalProfiles": ["guest"]}}
    elsewhere = {**policy("elsewhere"), "selector": {"environments": ["eu"]}}
    files = package(
        manifest("App", "app.core", APP), manifest("PolicySet", "p", {"policies": [guests, elsewhere]})
    )
    kept = {
        profile: built(files, **given) for profile, given in (("", {}), ("o", {"principal_profile": "other"}))
    }
    assert [one.id for one in kept[""].bundle.policies or ()] == ["guests"]  # type: ignore[union-attr]
    assert not kept["o"].bundle.policies  # type: ignore[union-attr]
