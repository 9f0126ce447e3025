"""Findings that a person accepted become decisions of the ReviewSet of a new package."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from tests.discovery.simulated_app import Element, Page, explore
from uiap.authoring.build import build
from uiap.authoring.from_discovery.accepted import accepted_by
from uiap.authoring.from_discovery.starter import starter_files
from uiap.discovery.package.decisions import FindingDecision, reviewed_package
from uiap.spec.authoring import BuildContext

PAGE = Page([Element("button", "Show"), Element("button", "Save")], title="Home")
AT = "2026-05-01T09:00:00+00:00"
ACTION, ELEMENT = "candidate.root.save", "/|app|button|save"


def reviewed(*decisions: FindingDecision) -> dict[str, Any]:
    package, _, _ = explore({"/": PAGE})
    found: dict[str, Any] = json.loads(msgspec.json.encode(reviewed_package(package, decisions)))
    return found


def accept(kind: str, id: str, by: str = "ann") -> FindingDecision:
    return FindingDecision(kind=kind, id=id, verdict="accept", by=by, at=AT)


def test_an_accepted_finding_is_approved_by_the_person_who_accepted_it_last() -> None:
    found = reviewed(accept("element", ELEMENT), accept("element", ELEMENT, "bob"))
    assert list(accepted_by(found)) == [
        {
            "target": {"manifestId": "bindings.elements", "itemId": ELEMENT},
            "state": "approved",
            "by": "bob",
            "at": "2026-05-01T09:00:00Z",
            "comment": "accepted in uiap review",
        }
    ]
    assert list(accepted_by(None)) == [] == list(accepted_by(reviewed()))


def test_a_package_asks_again_only_about_findings_that_nobody_decided() -> None:
    named = FindingDecision(kind="action", id=ACTION, verdict="rename", name="note.save", by="ann", at=AT)
    found = reviewed(accept("action", ACTION), named)
    files = starter_files("app", found, "discovery/run.discovery.json")
    texts: dict[str, str | bytes] = {**files, "discovery/run.discovery.json": msgspec.json.encode(found)}
    built = build(texts, context=BuildContext(channel="dev"), now="2026-06-01T00:00:00Z")
    assert built.bundle is not None, list(map(str, built.diagnostics))
    open_items = [one.message.split("`")[1] for one in built.diagnostics if one.code == "review_needed"]
    assert "note.save" not in open_items and ELEMENT in open_items
    (action,) = [one for one in built.bundle.actions or () if one.id == "note.save"]
    assert (action.implementation.kind, action.implementation.ref) == ("externalDriver", ELEMENT)  # type: ignore[union-attr]
