"""The report of a run: one HTML file that loads nothing, with every action and its proof."""

from __future__ import annotations

import msgspec

from tests.host.handlers.test_workflows import CREATE
from uiap.api.workflow_report import report_html
from uiap.host.workflows.history import RunHistory

RUN = {
    "instance": {
        "instanceId": "wf_1",
        "workflowId": CREATE.id,
        "version": "1.0.0",
        "mode": "auto",
        "status": "failed",
        "parameters": {"title": "<b>Intro</b>"},
        "results": {},
        "startedAt": "2026-03-01T10:00:00Z",
        "updatedAt": "2026-03-01T10:00:05Z",
        "error": {"code": "step_failed", "message": "`save` failed"},
    },
    "url": "https://videos.test/",
    "principal": "ada",
    "timeline": [
        {"at": "2026-03-01T10:00:01Z", "stepId": "save", "status": "running", "note": "n <1>"},
        {"at": "2026-03-01T10:00:02.500Z", "stepId": "save", "status": "waiting_for_user"},
        {"at": "2026-03-03T11:00:01Z", "stepId": "save", "status": "failed"},
    ],
    "actions": [
        {
            "at": "2026-03-01T10:00:02Z",
            "stepId": "save",
            "status": "failed",
            "handle": "act_7",
            "message": "the effect was not observed",
            "urlBefore": "https://videos.test/new",
            "url": "https://videos.test/videos/7",
            "evidence": {
                "actionId": "ui.activate",
                "target": "button “Save”",
                "foundBy": "semantic, confidence 1.0",
                "decision": "effect allow",
                "observed": ["route.changed pattern=/videos/:id"],
                "missing": ["toast.contains text=Saved"],
                "durationMs": 41.0,
                "changes": ["+ status “Not <saved>”"],
            },
        }
    ],
}


def test_a_report_shows_actions_with_proof_decision_and_audit_key() -> None:
    html = report_html(msgspec.convert(RUN, RunHistory), CREATE)
    for text in (
        'status failed">failed',
        "✗</span> save",
        "button “Save”",
        "✓ route.changed pattern=/videos/:id",
        "✗ toast.contains text=Saved",
        "effect allow",
        "act_7",
        "https://videos.test/new → https://videos.test/videos/7",
        "+ status “Not &lt;saved&gt;”",
        "&lt;b&gt;Intro&lt;/b&gt;",
        ">1.5 s<",
        ">2 days, 1:00:00<",
        ">waiting for user<",
    ):
        assert text in html
    assert "<b>" not in html and "default-src 'none'" in html


def test_a_run_without_actions_says_so() -> None:
    empty = msgspec.convert({**RUN, "actions": []}, RunHistory)
    assert "No action was requested." in report_html(empty, CREATE)
