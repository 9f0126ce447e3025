"""Findings of a run as manifest items: observations are copied, and no low risk is assumed."""

from __future__ import annotations

from uiap.authoring.from_discovery.items import to_manifest_item


def test_a_route_is_matched_by_its_id_and_the_paths_that_were_visited() -> None:
    found = {"routeId": "video", "urls": ["https://app.example/videos/1", "https://app.example/videos/1?x=2"]}
    assert to_manifest_item("route", found) == {
        "id": "video",
        "match": [{"kind": "routeId", "value": "video"}, {"kind": "path", "value": "/videos/1"}],
    }


def test_an_element_is_matched_by_its_annotation_first_and_by_role_and_name() -> None:
    found = {"stableId": "save", "role": "button", "names": ["Save"], "scopes": ["panel"]}
    item = to_manifest_item("element", found)
    assert [one["by"] for one in item["match"]] == ["annotation", "semantic"]
    plain = to_manifest_item("element", {"semanticKey": "k", "role": "button", "names": ["Save"]})
    assert plain["id"] == "k" and plain["match"] == [{"by": "semantic", "role": "button", "name": "Save"}]


def test_an_action_without_a_known_risk_needs_a_confirmation_and_has_no_implementation() -> None:
    item = to_manifest_item("action", {"id": "video.create", "kind": "candidate", "targetPatterns": ["x"]})
    assert item["risk"]["level"] == "confirm"
    assert (item["kind"], item["implementation"]) == ("domain", {"kind": "none"})


def test_an_action_presses_the_element_that_it_was_found_on_and_fills_in_its_fields() -> None:
    facts = {"element": "/|form|button|save", "fields": {"title": "/|form|textbox|title"}}
    found = {"id": "a.save", "kind": "candidate", "metadata": facts}
    item = to_manifest_item("action", found)
    assert item["implementation"] == {"kind": "externalDriver", "ref": "/|form|button|save"}
    assert item["metadata"] == {"fields": {"title": "/|form|textbox|title"}}
    registered = {**found, "discoveredBy": [{"source": "app_registry", "refId": "action:a.save"}]}
    assert to_manifest_item("action", registered)["implementation"] == {"kind": "sdkHandler", "ref": "a.save"}


def test_a_workflow_ends_with_a_complete_step_and_is_marked_as_generated() -> None:
    found = {"id": "create", "stepSkeleton": [{"type": "instruction"}], "successSignals": []}
    item = to_manifest_item("workflowCandidate", found)
    steps = item["definition"]["steps"]
    assert [step["type"] for step in steps] == ["instruction", "complete"]
    assert item["definition"]["initialStepId"] == steps[0]["id"]
    assert item["review"]["generatedFromDiscovery"] is True
