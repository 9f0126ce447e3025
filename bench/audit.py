"""Measure how fast an audit chain is verified, compared with only reading and only hashing the same records."""

from __future__ import annotations

import hmac
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bench.table import Claim, show
from uiap.host.records import tables
from uiap.host.records.audit import verify
from uiap.host.records.store import Store, sqlite_url

SUMMARY = "verification of the audit chain (at least 50,000 records per second)"
RECORDS = 200_000
BODY = (
    b'{"kind":"result","ts":"2026-03-26T14:00:00.000Z","session":"sess_0123456789abcdef","handle":"act_x"}'
    * 4
)


def best(work: Callable[[], object], times: int = 3) -> float:
    """Return the records per second of the best of a few runs."""
    seconds = []
    for _ in range(times):
        begun = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begun)
    return RECORDS / min(seconds)


def run() -> bool:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(sqlite_url(Path(folder) / "audit.sqlite3"), audit_key=b"bench")
        begun = time.perf_counter()
        for _ in range(RECORDS // 2000):
            store.append([(tables.audit, {"body": BODY})] * 2000)
        appended = RECORDS / (time.perf_counter() - begun)
        read = best(lambda: sum(1 for _ in store.audit()))
        hashed = best(lambda: [hmac.digest(b"bench", BODY, "sha256") for _ in range(RECORDS)])
        verified = best(lambda: verify(store))
        store.close()
    rows = [("", "records/s", "of reading"), ("appended in groups of 2,000", f"{appended:,.0f}", "")]
    rows += [("only read", f"{read:,.0f}", "1.00"), ("only hashed", f"{hashed:,.0f}", f"{hashed / read:.2f}")]
    rows += [("verified", f"{verified:,.0f}", f"{verified / read:.2f}")]
    return show("audit chain", rows, [Claim(f"verify {verified:,.0f}/s ≥ 50,000/s", verified >= 50_000)])
