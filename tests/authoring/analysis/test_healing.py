"""Healing proposals become an overlay that has no effect before its approval."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from tests.authoring.folders import built, codes, manifest, messages, package
from uiap.authoring.analysis.healing import HealingProposal, healing_overlay, proposals
from uiap.authoring.analysis.provenance import provenance
from uiap.cli import heal
from uiap.cli.authoring import BuildOptions, run_build
from uiap.spec.action import ActionResultPayload, ResolvedTarget, VerificationOutcome
from uiap.spec.authoring import BuildContext, LabelMatcher, TextMatcher
from uiap.spec.tools import ActionTrace

BOUND = manifest(
    "Bindings",
    "bound",
    {
        "elements": [
            {"id": "save", "match": [{"by": "text", "text": "Save"}]},
            {"id": "b", "match": [{"by": "text", "text": "B"}]},
        ]
    },
)
APPROVAL = {"target": {"manifestId": "heal"}, "state": "approved", "by": "ann", "at": "2026-05-01T00:00:00Z"}
PROD = {"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}


def proposal(matcher: Any, element: str = "save") -> HealingProposal:
    return HealingProposal(element_id=element, matcher=matcher, trace="trace:7", at="2026-05-20T00:00:00Z")


def healed(*proposals: HealingProposal) -> dict[str, Any]:
    return healing_overlay(proposals, built(package(BOUND)).manifests, id="heal")


@pytest.mark.requirement("AUTH-5.8a", "AUTH-10.2")
def test_a_proposal_is_an_overlay_that_needs_a_decision() -> None:
    overlay = healed(proposal(LabelMatcher(text="Store")))
    files = package(BOUND, overlay, publish={"channels": [PROD]})
    waiting = built(files, channel="prod")
    assert set(codes(waiting, "refusal")) == {"gate_review_state", "gate_generated"}
    assert "review_needed" in codes(waiting, "warning")
    approved = built(
        package(
            BOUND,
            overlay,
            manifest("ReviewSet", "r", {"decisions": [APPROVAL]}),
            publish={"channels": [PROD]},
        ),
        channel="prod",
    )
    assert approved.bundle is not None, messages(approved)
    element = next(e for e in approved.bundle.bindings.elements if e.id == "save")  # type: ignore[union-attr]
    assert [m.by for m in element.match] == ["text", "label"]


@pytest.mark.requirement("AUTH-10")
def test_healed_content_names_its_trace() -> None:
    overlay = healed(proposal(LabelMatcher(text="Store")))
    assert overlay["status"]["provenance"][0]["ref"] == "trace:7"
    records = provenance(built(package(BOUND, overlay)))
    assert [r.source for r in records["elements/save"]] == ["manual", "runtime-trace"]
    assert [r.source for r in records["elements/b"]] == ["manual"]


def test_proposals_for_one_element_are_joined_without_existing_matchers() -> None:
    overlay = healed(
        proposal(LabelMatcher(text="Store")),
        proposal(TextMatcher(text="Save")),
        proposal(TextMatcher(text="Keep")),
        proposal(TextMatcher(text="x"), "nobody"),
    )
    (patch,) = overlay["spec"]["patches"]
    assert [m["by"] for m in patch["value"]["match"]] == ["text", "label", "text"]
    assert codes(built(package(BOUND, overlay))) == []


def trace(
    handle: str = "act_1", *, status: Any = "succeeded", binding: str | None = "name", name: str = "Store"
) -> ActionTrace:
    target = ResolvedTarget(
        by="semantic", instance_id="e1", stable_id="save", document_id="d1", role="button", name=name
    )
    resolution = {"reasons": [], "confidence": 1.0} | ({"binding": binding} if binding else {})
    result = ActionResultPayload(
        action_handle=handle,
        action_id="ui.activate",
        status=status,
        resolved_target=target,
        metadata={"resolution": resolution},
        verification=VerificationOutcome(passed=True, policy="none", observed=()),
    )
    return ActionTrace(
        action_handle=handle,
        action_id="ui.activate",
        status=status,
        ts="2026-05-20T00:00:00Z",
        duration_ms=1,
        stages=(),
        network=(),
        lines=(),
        signals=(),
        result=result,
        noise=0,
    )


@pytest.mark.requirement("AUTH-10")
@pytest.mark.parametrize(
    ("seen", "count"),
    [
        (trace(), 1),
        (trace(status="failed"), 0),
        (trace(binding="matcher 2"), 0),
        (trace(binding=None), 0),
    ],
)
def test_only_a_success_without_a_matcher_gives_a_proposal(seen: ActionTrace, count: int) -> None:
    assert len(list(proposals([seen, seen]))) == count


@pytest.mark.requirement("AUTH-5.8a", "AUTH-10")
def test_the_command_turns_traces_into_an_overlay_that_builds_once_it_is_listed(tmp_path: Path) -> None:
    for name, content in package(BOUND).items():
        (tmp_path / name).write_text(content)
    trace_file = tmp_path / "trace.json"
    trace_file.write_bytes(msgspec.json.encode([trace(), trace("act_2", name="Keep")]))
    done = CliRunner().invoke(heal.command, [str(tmp_path), str(trace_file)], standalone_mode=False)
    assert done.return_value == 0 and "save" in done.output, done
    trace_file.unlink()
    root = tmp_path / "package.uiap.yaml"
    listed = {"id": "overlays.healing", "kind": "Overlay", "path": "overlays/healing.uiap.yaml"}
    document = msgspec.json.decode(root.read_bytes())
    document["spec"]["manifests"].append(listed)
    root.write_bytes(msgspec.json.encode(document))
    built_now = run_build(tmp_path, BuildOptions(BuildContext()))
    assert built_now.bundle is not None, messages(built_now)
    element = next(e for e in built_now.bundle.bindings.elements if e.id == "save")  # type: ignore[union-attr]
    assert [m.by for m in element.match] == ["text", "semantic", "semantic"]


def test_without_proposals_no_file_is_written(tmp_path: Path) -> None:
    for name, content in package(BOUND).items():
        (tmp_path / name).write_text(content)
    trace_file = tmp_path / "trace.json"
    trace_file.write_bytes(msgspec.json.encode(trace(binding="matcher 1")))
    done = CliRunner().invoke(heal.command, [str(tmp_path), str(trace_file)], standalone_mode=False)
    assert "nothing to heal" in done.output and not (tmp_path / "overlays").exists()
    trace_file.write_text("{}")
    broken = CliRunner().invoke(heal.command, [str(tmp_path), str(trace_file)], standalone_mode=False)
    assert "is not a trace" in str(broken.exception)
