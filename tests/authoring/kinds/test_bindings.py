"""Bindings: their references, lints about matchers, and the short form of a risk."""

from __future__ import annotations

from typing import Any

import pytest

from tests.authoring.folders import built, manifest, messages, package
from uiap.authoring.kinds.bindings import KIND, normalize_risks
from uiap.authoring.kinds.kind import DocumentFacts, FactCollector

CSS = {"by": "runtimeHint", "css": "#save"}
SEMANTIC = {"by": "semantic", "role": "button", "name": "Save"}


def facts_of(**sections: Any) -> DocumentFacts:
    facts = FactCollector()
    KIND.inspect(sections, facts)
    return facts.facts({}, ())


def element(**members: Any) -> dict[str, Any]:
    return {"id": "save", "role": "button", "match": [SEMANTIC], **members}


def test_an_element_refers_to_its_scope_its_routes_and_its_action() -> None:
    found = facts_of(elements=[element(scopeId="panel", routeIds=["home"], defaultAction="video.create")])
    assert {(one.kind, one.id) for one in found.references} == {
        ("scope", "panel"),
        ("route", "home"),
        ("action", "video.create"),
    }


def test_a_critical_element_with_only_css_matchers_is_a_warning_and_a_plain_one_is_not() -> None:
    risky = facts_of(elements=[element(match=[CSS], risk="confirm")])
    assert [lint.code for lint in risky.lints] == ["runtime_hint_only"]
    assert facts_of(elements=[element(match=[CSS])]).lints == ()
    assert facts_of(elements=[element(match=[CSS, SEMANTIC], risk="confirm")]).lints == ()


@pytest.mark.requirement("AUTH-5.3", "RUN-18")
@pytest.mark.parametrize(
    "matcher",
    [
        {"by": "runtimeHint"},
        {"by": "runtimeHint", "css": ""},
    ],
)
def test_a_matcher_that_no_runtime_evaluates_is_named(matcher: dict[str, Any]) -> None:
    (alone,) = facts_of(elements=[element(match=[matcher])]).lints
    (beside,) = facts_of(elements=[element(match=[matcher, SEMANTIC])]).lints
    assert (alone.severity, beside.severity) == ("warning", "warning")
    assert matcher["by"] in alone.message and "`save`" in alone.message


@pytest.mark.requirement("RUN-8")
def test_a_route_that_only_a_signal_recognises_is_named() -> None:
    (lint,) = facts_of(routes=[{"id": "home", "match": [{"kind": "signal", "value": "x"}]}]).lints
    assert (lint.severity, lint.code) == ("warning", "matcher_without_effect")


def test_a_missing_matcher_and_an_unknown_data_class_are_warnings() -> None:
    found = facts_of(
        elements=[element(match=[SEMANTIC], dataClasses=["odd"])], routes=[{"id": "r", "match": []}]
    )
    assert [lint.code for lint in found.lints] == ["no_matcher", "unknown_data_class"]


def test_a_risk_written_as_a_level_becomes_an_object_and_nothing_else_changes() -> None:
    spec = {"elements": [element(risk="confirm"), element(risk={"level": "safe"})]}
    assert [one["risk"] for one in normalize_risks(spec)["elements"]] == [
        {"level": "confirm"},
        {"level": "safe"},
    ]
    plain = {"elements": [element()]}
    assert normalize_risks(plain) is plain


@pytest.mark.requirement("RUN-18", "RUN-8")
@pytest.mark.parametrize(
    ("bindings", "kind"),
    [
        ({"elements": [{"id": "e", "match": [{"by": "runtimeHint"}]}]}, "runtimeHint"),
        ({"routes": [{"id": "r", "match": [{"kind": "signal", "value": "x"}]}]}, "signal"),
    ],
)
def test_a_build_names_a_matcher_that_finds_nothing(bindings: dict[str, Any], kind: str) -> None:
    result = built(package(manifest("Bindings", "b", bindings)))
    named = [one for one in result.diagnostics if one.code == "matcher_without_effect"]
    assert len(named) == 1 and f"`{kind}`" in named[0].message and named[0].line, messages(result)
