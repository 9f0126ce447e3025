"""The requests that the network guard held back: which of them an action caused, and which a page sends by itself."""

from __future__ import annotations

from uiap.discovery import events
from uiap.discovery.knowledge.states import State
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.plan.address import address_pattern


class BlockedRequests:
    def __init__(self, log: RunLog) -> None:
        self._log = log
        self._page_requests: set[str] = set()
        """Requests that pages send by themselves while they load."""

    def record_on_load(self, effects: events.Effects, url: str) -> None:
        """Record the blocked requests of a load. The page sends them by itself, so no action caused them."""
        for request in effects.blocked:
            key = _request_key(request)
            self._page_requests.add(key)
            text = f"loading `{address_pattern(url)}` made the page send {request.method} {request.url}"
            self._log.add_gap(f"blocked {key}", f"{text}; the network guard blocked it ({request.reason})")

    def writes(self, effects: events.Effects) -> tuple[events.BlockedRequest, ...]:
        """Return the blocked writes that the action caused, without those that the page sends by itself."""
        return tuple(
            one for one in effects.blocked if one.is_write and _request_key(one) not in self._page_requests
        )

    def record_outside(self, effects: events.Effects, label: str, state: State) -> None:
        """Record blocked requests to other origins: hops of a redirect, windows and frames."""
        for request in effects.blocked:
            key = _request_key(request)
            if request.reason in ("origin", "address", "scheme") and key not in self._page_requests:
                text = f"`{label}` leads outside, to {request.url}"
                text += f"; the network guard blocked it ({request.reason})"
                self._log.add_gap(f"outside {label} {key}", text, state.id)


def _request_key(request: events.BlockedRequest) -> str:
    return f"{request.method} {address_pattern(request.url)}"
