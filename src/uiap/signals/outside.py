"""Effects that the graph does not show: tabs, downloads, the clipboard, printing, the look of the whole page.

They are custom signals of ours. A tab or a download belongs to our input if a script of ours asked for it, or if no
script did and it came right after the input: then a link or form did it.
"""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase
from typing import Any, Literal, TypeAlias

import msgspec

from uiap.graph.store import GraphStore
from uiap.signals.log import SignalLog, SignalOccurrence
from uiap.signals.verdict import NOT_MET, Attribution, Verdict, strongest
from uiap.signals.work import PendingWork
from uiap.spec.capability import CustomSuccess
from uiap.spec.web import CustomSignal

Kind: TypeAlias = Literal[
    "tab", "download", "navigation", "clipboard", "print", "look", "look_undone", "style", "style_undone"
]
State: TypeAlias = Literal["asked", "begun", "done", "failed"]
ASKED_S = 5.0
"""A tab or download follows the script that asked for it within this time."""
DEFAULT_ACTION_S = 1.0
"""A link or form opens a tab or starts a download this soon after the input."""
EARLY_S = 0.5
"""The browser and the page report over different channels."""
MAX_EVENTS = 200

_ASKED_BY: dict[Kind, tuple[Kind, ...]] = {
    "tab": ("tab",),
    "download": ("download", "navigation", "tab"),
}

GIVEN_UP = "canceled"
"""The reason of the browser for a download that the server refused or broke off."""


class OutsideEvent(msgspec.Struct, frozen=True):
    """A script asked for an effect outside of the page, or the browser reports one."""

    kind: Kind
    at: float
    state: State = "asked"
    token: str | None = None
    url: str = ""
    id: str = ""
    """The new tab, or the download."""
    name: str = ""
    """The name of the file."""
    reason: str = ""
    """Why a download failed."""


class OutsideLog:
    """The effects of one action outside of its page."""

    def __init__(self, before: OutsideLog | None = None) -> None:
        self._asked: list[OutsideEvent] = []
        self._reported: dict[str, OutsideEvent] = {}
        self._earlier: tuple[str, ...] = () if before is None else before.ids
        """The tabs and downloads of earlier actions. The browser may report on them late."""

    @property
    def ids(self) -> tuple[str, ...]:
        """The tabs and downloads that are known so far, the latest last."""
        return (*self._earlier, *self._reported)[-MAX_EVENTS:]

    def record(self, event: OutsideEvent) -> None:
        if event.id and event.id in self._earlier:
            return
        if event.state == "asked":
            self._asked = [*self._asked[-MAX_EVENTS:], event]
            return
        known = self._reported.get(event.id)
        began = event.at if known is None else known.at
        if known is not None and known.state == "failed" and event.kind == "tab":
            return  # the page of an error arrives after its answer
        self._reported[event.id] = msgspec.structs.replace(event, at=began, url=event.url or _url(known))

    def occurrences(self, tokens: Iterable[str], dispatched_at: float) -> list[SignalOccurrence]:
        """Return the effects as signals, with their attribution."""
        ours = set(tokens)
        found = [
            SignalOccurrence(signal, self._attribution(event, ours, dispatched_at))
            for event in self._reported.values()
            for signal in self._signals(event)
        ]
        asked = (event for event in self._asked if event.kind in _ASKED_NAMES and not self._is_undone(event))
        return found + [
            SignalOccurrence(
                CustomSignal(name=_ASKED_NAMES[event.kind], payload={}),
                "caused" if event.token in ours else "coincident",
            )
            for event in asked
        ]

    def _is_undone(self, event: OutsideEvent) -> bool:
        """Return whether the same input took its change of the look back later."""
        kind = f"{event.kind}_undone"
        return any(
            one.kind == kind and one.token == event.token and one.at >= event.at for one in self._asked
        )

    def _signals(self, event: OutsideEvent) -> list[CustomSignal]:
        if event.kind == "tab":
            return [CustomSignal(name="tab.opened", payload={"tab": event.id, "url": self._address(event)})]
        file = {"name": event.name, "url": event.url}
        started = CustomSignal(name="download.started", payload=file)
        return (
            [started, CustomSignal(name="download.completed", payload=file)]
            if event.state == "done"
            else [started]
        )

    def _address(self, event: OutsideEvent) -> str:
        """Return the address of a new tab. The browser reports it late, and the script that asked knows it."""
        if event.url not in ("", "about:blank"):
            return event.url
        return next((ask.url for ask in reversed(self._asked_for(event)) if ask.url), event.url)

    def _asked_for(self, event: OutsideEvent) -> list[OutsideEvent]:
        kinds = _ASKED_BY.get(event.kind, ())
        asked = [ask for ask in self._asked if ask.kind in kinds and -EARLY_S < event.at - ask.at < ASKED_S]
        return [ask for ask in asked if ask.url and ask.url == event.url] or asked

    def _attribution(self, event: OutsideEvent, ours: set[str], dispatched_at: float) -> Attribution:
        if asked := self._asked_for(event):
            return "caused" if any(ask.token in ours for ask in asked) else "coincident"
        return "caused" if 0 <= event.at - dispatched_at <= DEFAULT_ACTION_S else "coincident"

    def was_asked(self, tokens: Iterable[str], dispatched_at: float) -> bool:
        """Return whether a script or a link asked for a tab or a file since our input."""
        ours, kinds = {*tokens, None}, ("tab", "download")
        asked = (one for one in self._asked if one.kind in kinds and one.token in ours)
        return any(one.at >= dispatched_at - EARLY_S for one in asked)

    def work(self) -> tuple[PendingWork, ...]:
        """Return the downloads that have not ended or begun, and the new tabs whose address is not known yet."""
        events = self._reported.values()
        begun = [one for one in events if one.kind == "download" and one.state == "begun"]
        if not any(one.kind == "download" for one in events):
            begun += [one for one in self._asked[-1:] if one.kind == "download"]
        empty = [one for one in events if one.kind == "tab" and self._is_coming(one)]
        return tuple(PendingWork(one.kind, one.at, one.name) for one in begun + empty)

    def _is_coming(self, tab: OutsideEvent) -> bool:
        """Return whether the page of a new tab has not arrived: its server may refuse it."""
        return not self._address(tab) or (tab.state == "begun" and tab.url.startswith("http"))

    def failure(self, tokens: Iterable[str], dispatched_at: float) -> str | None:
        """Return the download that the browser gave up, or the page of a new tab that its server refused, in words."""
        ours = set(tokens)
        for event in self._reported.values():
            if (words := _failure(event)) and self._attribution(event, ours, dispatched_at) == "caused":
                return words
        return None

    def effects(self, tokens: Iterable[str], dispatched_at: float) -> dict[str, list[dict[str, Any]]]:
        """Return the tabs and files that our input led to, as members of a result."""
        ours, tabs, files = set(tokens), [], []
        for event in self._reported.values():
            if self._attribution(event, ours, dispatched_at) != "caused":
                continue
            if event.kind == "tab":
                tabs.append({"tab": event.id, "url": self._address(event)})
            else:
                files.append(_without_empty(name=event.name, state=_STATES[event.state], reason=event.reason))
        return _without_empty(openedTabs=tabs, downloads=files)


RESTYLED = "element.restyled"
_ASKED_NAMES = {
    "clipboard": "clipboard.written",
    "print": "print.requested",
    "look": "page.restyled",
    "style": RESTYLED,
}
_STATES = {"begun": "started", "done": "completed", "failed": "failed"}
_WORDS = {
    "tab.opened": "a new tab opened",
    "download.started": "a download started",
    "download.completed": "a file was downloaded",
    "clipboard.written": "the clipboard was written",
    "print.requested": "the page asked to print",
    "page.restyled": "the look of the page changed",
    RESTYLED: "the look of an element changed",
}


def _failure(event: OutsideEvent) -> str | None:
    """Return a failure in words. A download that we refused ourselves is none."""
    if event.kind == "tab":
        return f"the page of the new tab {event.reason}" if event.state == "failed" else None
    given_up = event.state == "failed" and event.reason == GIVEN_UP
    return f"the download of `{event.name}` failed" if given_up else None


def _url(known: OutsideEvent | None) -> str:
    return known.url if known is not None else ""


def _without_empty(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def effect_words(signal: CustomSignal) -> str | None:
    """Return an effect outside of the page in words; None for another signal."""
    words = _WORDS.get(signal.name)
    payload = signal.payload if isinstance(signal.payload, dict) else {}
    detail = payload.get("name") or payload.get("url")
    return f"{words}: {detail}" if words and detail else words


# -- expected signals ---------------------------------------------------------------------------------------


def read_nothing(_signal: CustomSuccess, _store: GraphStore) -> None:
    """Read nothing: only an effect after dispatch counts."""


def judge(signal: CustomSuccess, _before: None, _now: None, log: SignalLog) -> Verdict:
    wanted = signal.payload if isinstance(signal.payload, dict) else {}
    found = [
        attribution
        for occurred, attribution in log.of(CustomSignal)
        if occurred.name == signal.name and _fits(wanted, occurred.payload)
    ]
    return Verdict(True, attribution=strongest(found)) if found else NOT_MET


def _fits(wanted: dict[str, Any], payload: Any) -> bool:
    """Return whether each wanted member fits. `*` stands for any text; a part of an address or name is enough."""
    got = payload if isinstance(payload, dict) else {}
    return all(
        fnmatchcase(str(got.get(key, "")), pattern if "*" in pattern else f"*{pattern}*")
        for key, pattern in ((key, str(value)) for key, value in wanted.items())
    )
