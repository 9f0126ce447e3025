"""`uiap policy`, `uiap audit` and the approval page."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from uiap.host.records.store import Store, sqlite_url

STRICT = """{"modelVersion": "0.1", "id": "strict", "defaults": {"onSafe": "confirm"},
 "rules": [{"id": "no-invites", "match": {"actionIds": ["team.*"]}, "effect": "deny"}]}"""


VIDEOLAND = Path(__file__).resolve().parents[2] / "apps" / "videoland" / "uiap"


def test_check_preview_and_diff_print_the_decisions_of_rules(uiap: Run, tmp_path: Path) -> None:
    file = tmp_path / "strict.json"
    file.write_text(STRICT)
    assert "valid: strict with 1 rules" in uiap("policy", "check", str(file)).stdout
    shown = json.loads(uiap("policy", "preview", "standard", "--app", str(VIDEOLAND), "--json").stdout)
    assert shown["account.delete"]["effect"] == "deny"
    assert shown["team.invite"] | {"missingGrants": []} == shown["team.invite"]
    changed = uiap("policy", "diff", "standard", str(file), "--app", str(VIDEOLAND))
    assert changed.returncode == 0, changed
    assert "stricter team.invite: confirm (risk confirm) → deny (strict/no-invites)" in changed.stdout
    back = uiap("policy", "diff", str(file), "standard", "--app", str(VIDEOLAND))
    assert back.returncode == 1
    assert "laxer    team.invite" in back.stdout


def test_an_invalid_policy_is_reported_in_one_sentence(uiap: Run, tmp_path: Path) -> None:
    file = tmp_path / "p.json"
    file.write_text(STRICT.replace("actionIds", "actionId"))
    done = uiap("policy", "check", str(file))
    assert done.returncode == 1
    assert "`$.rules[0].match.actionId`" in done.stderr


def test_init_writes_a_commented_policy_and_keeps_an_existing_file(uiap: Run, tmp_path: Path) -> None:
    file = tmp_path / "team.yaml"
    assert "with 3 rules" in uiap("policy", "init", str(file)).stdout
    assert "valid: team" in uiap("policy", "check", str(file)).stdout
    again = uiap("policy", "init", str(file))
    assert again.returncode == 1 and "exists" in again.stderr


def test_learn_writes_a_policy_from_an_empty_audit_log(uiap: Run, tmp_path: Path) -> None:
    Store(sqlite_url(tmp_path / "s.sqlite3")).close()
    file = tmp_path / "learned.yaml"
    done = uiap("policy", "learn", str(file), "--store", str(tmp_path / "s.sqlite3"), "--json")
    assert json.loads(done.stdout) == {"file": str(file), "rules": 0}
