"""Which requests of a tab may belong to an action: sent after it began, and not what the page asks anyway."""

from __future__ import annotations

from collections import deque
from urllib.parse import urlsplit

MEMORY_S = 2.0
SPEAKING = frozenset({"Document", "XHR", "Fetch", "EventSource", ""})
"""Pictures, fonts and scripts do not say whether something was saved."""


class Traffic:
    """Counts the open requests that an action has to wait for."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, str]] = deque()
        self._background: frozenset[str] = frozenset()
        self._began: float | None = None
        self._open: set[str] = set()

    @property
    def open(self) -> int:
        return len(self._open)

    def begin(self, mono: float) -> None:
        """An action starts now; what was asked in the two seconds before is the page's own habit."""
        self._trim(mono)
        self._background = frozenset(pattern for _, pattern in self._recent)
        self._began, self._open = mono, set()

    def sent(self, request: str, resource: str, url: str, mono: float) -> None:
        pattern = _pattern(url)
        self._trim(mono)
        self._recent.append((mono, pattern))
        ours = self._began is not None and mono >= self._began
        if ours and resource in SPEAKING and pattern not in self._background:
            self._open.add(request)

    def ended(self, request: str) -> None:
        self._open.discard(request)

    def forget(self) -> None:
        """A new document: what the old one waited for no longer comes."""
        self._open.clear()

    def _trim(self, mono: float) -> None:
        while self._recent and self._recent[0][0] < mono - MEMORY_S:
            self._recent.popleft()


def _pattern(url: str) -> str:
    """The URL without what changes from one poll to the next."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}{split.path}"
