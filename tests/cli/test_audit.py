"""`uiap audit`: verify, show and export the audit log."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Run
from uiap.host.records import tables
from uiap.host.records.store import Store, sqlite_url


def test_audit_verifies_shows_exports_and_detects_a_change(uiap: Run, tmp_path: Path) -> None:
    file = tmp_path / "s.sqlite3"
    store = Store(sqlite_url(file))
    body = b'{"kind":"granted","ts":"2026-03-26T14:00:00.000Z","handle":"act_%d","by":"ann"}'
    store.append([(tables.audit, {"body": body % n}) for n in range(3)])
    head = uiap("audit", "head", str(file)).stdout.strip()
    assert f"intact: 3 records, head {head}" in uiap("audit", "verify", str(file), "--head", head).stdout
    assert "granted        by ann" in uiap("audit", "show", str(file)).stdout
    out = tmp_path / "a.jsonl"
    assert "3 records" in uiap("audit", "export", str(file), "--out", str(out)).stdout
    again = uiap("audit", "verify", str(out), "--key", f"{file}.key", "--head", head)
    assert again.returncode == 0, again.stderr
    with store._engine.begin() as connection:
        connection.exec_driver_sql("update audit set body = replace(body, 'ann', 'eve') where seq = 2")
    store.close()
    broken = uiap("audit", "verify", str(file))
    assert broken.returncode == 1
    assert "broken at record 2" in broken.stderr
