"""The facts that one document gives: item ids, references and lints."""

from __future__ import annotations

from uiap.authoring.kinds.kind import (
    FactCollector,
    ManifestKind,
    Section,
    item_ids,
    signal_references,
    target_reference,
)

KIND = ManifestKind("Things", lambda _spec, _facts: None, (Section("workflows", ("definition", "id")),))


def test_the_id_of_an_item_may_be_inside_it() -> None:
    facts = FactCollector()
    spec = {"workflows": [{"definition": {"id": "a"}}, {"definition": {"id": "b"}}]}
    assert item_ids(KIND, spec, facts) == {"workflows": {"a": 0, "b": 1}}
    assert facts.facts({}, ()).lints == ()


def test_an_id_that_occurs_twice_is_an_error_at_the_second_item() -> None:
    facts = FactCollector()
    item_ids(KIND, {"workflows": [{"definition": {"id": "a"}}] * 2}, facts)
    (lint,) = facts.facts({}, ()).lints
    assert (lint.severity, lint.code, lint.pointer) == ("error", "duplicate_id", "/spec/workflows/1")


def test_only_the_first_reference_to_an_item_is_kept() -> None:
    facts = FactCollector()
    facts.refer("route", "home", "elements", 0)
    facts.refer("route", "home", "elements", 1)
    facts.refer("route", None, "elements", 2)
    assert [one.pointer for one in facts.facts({}, ()).references] == ["/spec/elements/0"]


def test_targets_refer_to_elements_scopes_and_routes_but_not_by_role() -> None:
    facts = FactCollector()
    target_reference(facts, {"by": "stableId", "value": "save"}, "target")
    target_reference(facts, {"by": "semantic", "role": "button"}, "target")
    signal_references(facts, [{"kind": "x", "target": {"by": "scope", "value": "panel"}}], "success")
    found = facts.facts({}, ()).references
    assert [(one.kind, one.id, one.severity) for one in found] == [
        ("element", "save", "warning"),
        ("scope", "panel", "warning"),
    ]
    assert found[1].pointer == "/spec/success/0/target/value"


def test_a_kind_finds_its_sections_by_name() -> None:
    assert KIND.section("workflows") is KIND.sections[0]
    assert KIND.section("actions") is None
