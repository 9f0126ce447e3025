"""What a session remembers of its traffic, bounded: ids it has seen, and texts it may have to send again."""

from __future__ import annotations

from collections import deque


class SeenIds:
    """The last ids of one sender. Bounded: an id older than the window can no longer be told from a new one."""

    def __init__(self, window: int = 1024) -> None:
        self._window = window
        self._ids: dict[str, bool] = {}

    def first_time(self, id: str) -> bool:
        """Remember the id; False if it was known."""
        if id in self._ids:
            return False
        if len(self._ids) >= self._window:
            del self._ids[next(iter(self._ids))]
        self._ids[id] = False
        return True

    def mark_resumed(self) -> None:
        """From now on, what was known may be sent again by a peer that lost our answer (§3.3.1)."""
        self._ids = dict.fromkeys(self._ids, True)

    def is_resend(self, id: str) -> bool:
        return self._ids.get(id, False)


class Outbox:
    """The last texts sent, so that a resumed peer misses nothing (§3.5: 256 events or the resume window, and 1 MiB)."""

    def __init__(self, size: int, window: float, most: int = 1_048_576) -> None:
        self._sent: deque[tuple[str, float, str]] = deque()
        self._size, self._window, self._most = size, window, most
        self._held = 0

    def keep(self, id: str, mono: float, text: str) -> None:
        if self._window <= 0:
            return
        self._sent.append((id, mono, text))
        self._held += len(text)
        while len(self._sent) > 1 and self._too_much(mono):
            self._held -= len(self._sent.popleft()[2])

    def _too_much(self, mono: float) -> bool:
        old = self._sent[0][1] < mono - self._window
        return old or len(self._sent) > self._size or self._held > self._most

    def after(self, id: str | None) -> list[str]:
        """Everything kept after this id; everything kept, if the id is unknown or not given."""
        ids = [sent[0] for sent in self._sent]
        start = ids.index(id) + 1 if id in ids else 0
        return [text for _, _, text in list(self._sent)[start:]]
