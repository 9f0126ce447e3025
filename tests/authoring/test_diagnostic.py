"""Diagnostics: collected once, sorted by severity, and written for people."""

from __future__ import annotations

from uiap.authoring.diagnostic import Diagnostic, Problems, sort_diagnostics, warnings_as_errors


def test_equal_diagnostics_are_counted_once() -> None:
    problems = Problems()
    for _ in range(2):
        problems.error("bad", "a fault", "a.yaml", "/spec")
    problems.warning("odd", "a doubt")
    assert [one.code for one in problems] == ["bad", "odd"]
    assert len(problems) == 2 and problems.has("error") and not problems.has("refusal")


def test_the_most_severe_diagnostic_comes_first_then_the_position() -> None:
    made = [
        Diagnostic(code="w", severity="warning", message="m", file="a"),
        Diagnostic(code="e2", severity="error", message="m", file="b"),
        Diagnostic(code="e1", severity="error", message="m", file="a", line=9),
        Diagnostic(code="e0", severity="error", message="m", file="a", line=2),
    ]
    assert [one.code for one in sort_diagnostics(made)] == ["e0", "e1", "e2", "w"]


def test_strict_builds_turn_warnings_into_errors_and_leave_infos() -> None:
    made = [
        Diagnostic(code="w", severity="warning", message="m"),
        Diagnostic(code="i", severity="info", message="m"),
    ]
    assert [one.severity for one in warnings_as_errors(made)] == ["error", "info"]


def test_unreadable_manifests_are_remembered_by_id_and_kind() -> None:
    problems = Problems()
    problems.mark_unreadable("a", "Actions")
    assert problems.is_unreadable("a") and not problems.is_unreadable("b")
    assert problems.has_unreadable_kind("App", "Actions") and not problems.has_unreadable_kind("App")


def test_a_diagnostic_is_written_with_file_line_and_message() -> None:
    text = str(Diagnostic(code="bad", severity="error", message="a fault", file="a.yaml", line=3, column=5))
    assert "a.yaml:3:5" in text and "a fault" in text
