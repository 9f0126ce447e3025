"""Which requests of a tab may belong to an action: sent after it began, and not what the page asks anyway."""

from __future__ import annotations

from collections import deque
from urllib.parse import urlsplit

MEMORY_S = 2.0
SPEAKING = frozenset({"Document", "XHR", "Fetch", "EventSource", ""})
"""Pictures, fonts and scripts do not say whether something was saved."""
MADE_OF = frozenset({"Document", "Script", "Stylesheet"})
LOADING = SPEAKING | MADE_OF
"""What a page needs before it has arrived."""


class Traffic:
    """Counts the open requests that an action has to wait for."""

    def __init__(self) -> None:
        self._recent: deque[tuple[float, str]] = deque()
        self._background: frozenset[str] = frozenset()
        self._began: float | None = None
        self._open: dict[str, str] = {}

    @property
    def open(self) -> int:
        return sum(resource in SPEAKING for resource in self._open.values())

    @property
    def loading(self) -> int:
        return len(self._open)

    def begin(self, mono: float) -> None:
        """An action starts now; what was asked in the two seconds before is the page's own habit."""
        self._trim(mono)
        self._background = frozenset(pattern for _, pattern in self._recent)
        self._began, self._open = mono, {}

    def sent(self, request: str, resource: str, url: str, mono: float) -> None:
        pattern = _pattern(url)
        self._trim(mono)
        self._recent.append((mono, pattern))
        ours = self._began is not None and mono >= self._began
        if ours and resource in LOADING and pattern not in self._background:
            self._open[request] = resource

    def ended(self, request: str) -> None:
        self._open.pop(request, None)

    def forget(self) -> None:
        """A new document: what the old one asked for no longer comes; what the new one is made of may be under way."""
        self._open = {request: resource for request, resource in self._open.items() if resource in MADE_OF}

    def _trim(self, mono: float) -> None:
        while self._recent and self._recent[0][0] < mono - MEMORY_S:
            self._recent.popleft()


def _pattern(url: str) -> str:
    """The URL without what changes from one poll to the next."""
    split = urlsplit(url)
    return f"{split.scheme}://{split.netloc}{split.path}"
