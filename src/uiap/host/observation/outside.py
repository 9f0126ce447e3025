"""Turn driver events about tabs, downloads, the clipboard and printing into effects outside of the page."""

from __future__ import annotations

from uiap.discovery.safety.redaction import clean_url, mask_text
from uiap.drivers import events as seen
from uiap.signals.outside import OutsideEvent, State

HTTP_ERROR = 400


def refused_tab(event: seen.ResponseReceived) -> OutsideEvent:
    """Return the effect that the server refused the page of a new tab."""
    url, reason = clean_url(event.url), f"was answered with {event.status}"
    return OutsideEvent("tab", event.at, "failed", url=url, id=event.tab, reason=reason)


def outside_event(event: seen.AnyEvent) -> OutsideEvent | None:
    """Return the effect; None if the event is not one. Addresses lose the parameters that carry secrets."""
    match event:
        case seen.OutsideEffect():
            return OutsideEvent(event.kind, event.at, token=event.token, url=clean_url(event.url))
        case seen.TabOpened() | seen.Navigated():
            state: State = "begun" if isinstance(event, seen.TabOpened) else "done"
            return OutsideEvent("tab", event.at, state, url=clean_url(event.url), id=event.tab)
        case seen.DownloadBegun():
            return OutsideEvent(
                "download",
                event.at,
                "begun",
                url=clean_url(event.url),
                id=event.download,
                name=mask_text(event.suggested_name),
            )
        case seen.Downloaded():
            return OutsideEvent(
                "download",
                event.at,
                "done" if event.path is not None else "failed",
                url=clean_url(event.url),
                id=event.download or event.url,
                name=mask_text(event.suggested_name if event.path is None else event.path.name),
                reason=event.reason,
            )
    return None
