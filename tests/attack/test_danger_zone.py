"""The show of the danger zone is run as it stands, and its application says what really happened."""

from __future__ import annotations

import runpy
from pathlib import Path

import httpx
import pytest

from apps.videoland import Settings, serving
from uiap.host.audit import entries, verify
from uiap.host.store import Store, sqlite_url

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "danger_zone.py"


@pytest.mark.browser
@pytest.mark.requirement("CAP-8.2", "CAP-8.3", "ACT-5.3")
async def test_the_danger_zone_is_blocked_asked_and_handed_over(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 60
    show = runpy.run_path(str(EXAMPLE))
    file = tmp_path / "audit.sqlite3"
    with serving(Settings(rows=5, auto_login=True, truth=True)) as server:
        await show["danger_zone"](server.url, file)
        async with httpx.AsyncClient() as client:
            writes = (await client.get(f"{server.url}/__writes")).text
    told = capsys.readouterr().out
    assert "delete the account: failed, policy does not allow it" in told
    assert "change the password: succeeded" in told
    assert "invite a person: succeeded" in told
    assert "account.deleted" not in writes
    assert "password.changed" in writes and "invitation" in writes
    store = Store(sqlite_url(file))
    assert verify(store).intact
    kinds = [entry.kind for _, entry in entries(store) if entry is not None]
    store.close()
    assert kinds.count("granted") == 1 and kinds.count("handoff") == 1
    assert b"a new secret" not in file.read_bytes()
