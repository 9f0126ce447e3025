"""Heads of the audit chain are published outside, and find a chain that was rewritten as a whole."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from uiap.errors import Unavailable
from uiap.host.records import tables
from uiap.host.records.anchors import Anchor, AnchoredHead, publisher, read_anchors
from uiap.host.records.audit import NotedHead, verify
from uiap.host.records.high_water import Mark
from uiap.host.records.store import Store, sqlite_url


def written(file: Path, count: int, body: bytes = b"{}") -> None:
    store = Store(sqlite_url(file))
    for _ in range(count):
        store.append([(tables.audit, {"body": body})])
    store.close()


@contextmanager
def receiver(status: int = 204) -> Iterator[tuple[str, list[bytes]]]:
    """Yield the address of a webhook, and the bodies it got."""
    bodies: list[bytes] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/heads", bodies
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_rewritten_chain_lacks_the_published_heads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heads = tmp_path / "heads.jsonl"
    monkeypatch.setenv("UIAP_AUDIT_ANCHOR", f"file:{heads}")
    written(tmp_path / "a.sqlite3", 4)
    monkeypatch.delenv("UIAP_AUDIT_ANCHOR")
    published = list(read_anchors(heads.read_text().splitlines()))
    assert published[-1].seq == 4
    assert heads.stat().st_mode & 0o077 == 0
    for file in (*tmp_path.glob("a.sqlite3*"), *tmp_path.glob(".a.sqlite3*")):
        file.unlink()
    written(tmp_path / "a.sqlite3", 4, b'{"kind":"result"}')
    store = Store(sqlite_url(tmp_path / "a.sqlite3"))
    assert verify(store).intact, "with the key, everything on this machine can be rewritten"
    noted = [NotedHead(one.seq, bytes.fromhex(one.hash), "a published head") for one in published]
    assert "differs from a published head" in verify(store, heads=noted).problem
    store.close()


def test_the_last_head_is_published_when_the_anchor_is_closed() -> None:
    lines: list[str] = []
    anchor = Anchor(lines.append, "store", "k", interval_s=3600)
    for seq in range(1, 50):
        anchor.offer(Mark(seq, b"h"))
    anchor.close()
    seqs = [one.seq for one in read_anchors(lines)]
    assert seqs[-1] == 49
    assert len(seqs) <= 2, "a head is published once per interval, and at the end"


def test_a_receiver_that_fails_does_not_stop_the_next_head(caplog: pytest.LogCaptureFixture) -> None:
    lines: list[str] = []

    def publish(line: str) -> None:
        lines.append(line)
        if len(lines) == 1:
            raise OSError("no route")

    anchor = Anchor(publish, "store", "k", interval_s=0)
    anchor.offer(Mark(1, b"h"))
    anchor.offer(Mark(2, b"h"))
    anchor.close()
    assert list(read_anchors(lines))[-1].seq == 2
    assert [record.message for record in caplog.records if "not published" in record.message]


def test_a_webhook_gets_the_head_as_json() -> None:
    with receiver() as (address, bodies):
        publisher(address)('{"audit":"a","seq":1,"hash":"00","key":"k"}')
    assert msgspec.json.decode(bodies[0], type=AnchoredHead).seq == 1
    with receiver(500) as (address, _), pytest.raises(OSError, match="500"):
        publisher(address)("{}")


def test_heads_are_read_from_a_syslog_too() -> None:
    line = 'Mar 26 14:00:00 host uiap audit head {"audit":"a","seq":7,"hash":"00","key":"k"}'
    assert [one.seq for one in read_anchors(["other", line])] == [7]
    with pytest.raises(Unavailable, match="not a published head"):
        list(read_anchors(['{"audit":']))


@pytest.mark.parametrize("address", ["", "file:", "ftp://a", "heads.jsonl"])
def test_an_unknown_address_is_refused(address: str) -> None:
    with pytest.raises(Unavailable, match="use file:PATH"):
        publisher(address)
