"""Publishes heads of the audit chain outside of this machine's store: to a file, to syslog, or to a webhook.

Somebody with the key and every file of a user can rewrite the whole chain. A head that was published before shows it:
`uiap audit verify --anchors FILE`. A thread publishes the latest head, so that a slow receiver delays no action.
"""

from __future__ import annotations

import logging
import os
import threading
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from uiap.errors import Unavailable
from uiap.host.records.high_water import Mark

log = logging.getLogger("uiap.audit")
INTERVAL_S, WEBHOOK_S = 1.0, 10.0
"""The shortest time between two published heads, and the time a webhook has to answer."""
HELP = "use file:PATH, syslog: or https://ADDRESS"
Publish = Callable[[str], None]


class AnchoredHead(msgspec.Struct, frozen=True):
    """One published head. `key` is a short id of the key, not the key."""

    audit: str
    """The store, without its password."""
    seq: int
    hash: str
    key: str


class Anchor:
    """Publishes the latest of the offered heads, at most one per `INTERVAL_S`. `close` publishes the last one."""

    def __init__(self, publish: Publish, store: str, key_id: str, interval_s: float = INTERVAL_S) -> None:
        self._publish, self._store, self._key_id = publish, store, key_id
        self._interval_s = interval_s
        self._latest: Mark | None = None
        self._changed = threading.Condition()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, name="uiap-anchor", daemon=True)
        self._thread.start()

    def offer(self, mark: Mark) -> None:
        with self._changed:
            self._latest = mark
            self._changed.notify()

    def close(self) -> None:
        with self._changed:
            self._closed.set()
            self._changed.notify()
        self._thread.join(WEBHOOK_S)

    def _run(self) -> None:
        while (mark := self._next()) is not None:
            head = AnchoredHead(self._store, mark.seq, mark.hash.hex(), self._key_id)
            try:
                self._publish(msgspec.json.encode(head).decode())
            except OSError as error:
                log.warning("the head %d of the audit log was not published: %s", mark.seq, error)
            self._closed.wait(self._interval_s)

    def _next(self) -> Mark | None:
        """Return the next head to publish; None once all are published and the anchor is closed."""
        with self._changed:
            while self._latest is None and not self._closed.is_set():
                self._changed.wait()
            mark, self._latest = self._latest, None
            return mark


def publisher(address: str) -> Publish:
    """Return the function that publishes to an address of `UIAP_AUDIT_ANCHOR`. Raise Unavailable for another one."""
    kind, _, rest = address.partition(":")
    if kind == "file" and rest:
        return lambda line: _append(Path(rest.removeprefix("//")), line)
    if kind == "syslog":
        return _to_syslog
    if kind in ("https", "http"):
        return lambda line: _post(address, line)
    raise Unavailable(f"`{address}` cannot take heads of the audit log; {HELP}")


def _append(file: Path, line: str) -> None:
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW
    descriptor = os.open(file, flags, 0o600)
    try:
        os.write(descriptor, f"{line}\n".encode())
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _to_syslog(line: str) -> None:
    import syslog

    syslog.syslog(syslog.LOG_AUTH | syslog.LOG_NOTICE, f"uiap audit head {line}")


def _post(url: str, line: str) -> None:
    request = urllib.request.Request(
        url, data=line.encode(), headers={"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=WEBHOOK_S):
        pass


def read_anchors(lines: Iterable[str]) -> Iterator[AnchoredHead]:
    """Yield the published heads of a file or of a syslog. Lines without one are skipped."""
    for line in lines:
        start = line.find('{"audit":')
        if start >= 0:
            try:
                yield msgspec.json.decode(line[start:].strip(), type=AnchoredHead)
            except msgspec.DecodeError:
                raise Unavailable(f"`{line.strip()[:80]}` is not a published head") from None
