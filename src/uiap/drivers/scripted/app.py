"""An application in memory, described by a short script: widgets, and the handlers of gestures on them.

    def save(app):
        app.set("status", text="Saved")
        app.toast("Saved")

    ScriptedPage("http://notes.test/", [
        Widget("title", "textbox", "Title"),
        Widget("save", "button", "Save", on={"click": save}),
        Widget("status", "status"),
    ])

It knows graphs, but no drivers; `driver.py` puts it behind the driver protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

import msgspec
from msgspec import UNSET

from uiap.drivers.driver import Dialog
from uiap.origin import origin_of
from uiap.spec.web import (
    CollectionNode,
    DocumentNode,
    ElementNode,
    FocusInfo,
    PageGraph,
    RouteInfo,
    ScopeNode,
    ToastShownSignal,
    WebElementState,
    WebSignal,
)

Handler = Callable[["App"], None]

AFFORDANCES: Mapping[str, tuple[str, ...]] = {
    "button": ("read", "focus", "activate"),
    "link": ("read", "focus", "activate", "navigate"),
    "textbox": ("read", "focus", "edit"),
    "textarea": ("read", "focus", "edit"),
    "searchbox": ("read", "focus", "edit", "submit"),
    "checkbox": ("read", "focus", "toggle"),
    "switch": ("read", "focus", "toggle"),
    "combobox": ("read", "focus", "choose"),
    "radio": ("read", "focus", "choose"),
    "slider": ("read", "focus", "edit"),
    "spinbutton": ("read", "focus", "edit"),
    "fileinput": ("read", "focus", "upload"),
    "dialog": ("read", "close", "dismiss"),
    "form": ("read", "submit"),
}


@dataclass(frozen=True)
class Widget:
    """One element; `key` is its name in the script."""

    key: str
    role: str
    name: str | None = None
    text: str | None = None
    state: Mapping[str, Any] = field(default_factory=dict)
    record: str | None = None
    scope: str | None = None
    stable_id: str | None = None
    options: Sequence[str] = ()
    on: Mapping[str, Handler] = field(default_factory=dict)
    """Handlers by op kind; they run after the widget's own reaction."""
    node_fields: Mapping[str, Any] = field(default_factory=dict)
    """More members of the published ElementNode, by attribute name."""


@dataclass(frozen=True)
class ScriptedScope:
    key: str
    kind: str
    name: str | None = None
    modal: bool = False


@dataclass(frozen=True)
class ScriptedPage:
    url: str
    widgets: Sequence[Widget] = ()
    title: str = ""
    scopes: Sequence[ScriptedScope] = ()
    collections: Sequence[CollectionNode] = ()


class App:
    """One open page of the application, which the handlers change."""

    def __init__(self, document: str, page: ScriptedPage) -> None:
        self.document = document
        self.page = page
        self.url = page.url
        self.title = page.title
        self.focus: str | None = None
        self.hovered: str | None = None
        self.scopes = {scope.key: scope for scope in page.scopes}
        self.collections = {node.collection_id: node for node in page.collections}
        self.widgets: dict[str, Widget] = {}
        self._ids: dict[str, str] = {}
        self._count = 0
        # Requests of a handler besides widget changes; the driver executes them afterwards.
        self.signals: list[WebSignal] = []
        self.dialog: Dialog | None = None
        self.destination: str | None = None
        self.popup: str | None = None
        self.requests: list[tuple[str, str, int]] = []
        for widget in page.widgets:
            self.add(widget)

    # ------------------------------------------------------------------ for handlers

    def add(self, widget: Widget) -> None:
        """Add a widget with a new id, also if a widget with its key was removed before."""
        self._count += 1
        self._ids[widget.key] = f"{self.document}e{self._count}"
        self.widgets[widget.key] = replace(widget, state=_camel(widget.state))

    def remove(self, key: str) -> None:
        del self.widgets[key], self._ids[key]
        if self.focus == key:
            self.focus = None

    def set(self, key: str, *, name: str | None = None, text: str | None = None, **state: Any) -> None:
        """Change the name, the text or the state of a widget."""
        old = self.widgets[key]
        self.widgets[key] = replace(
            old,
            name=old.name if name is None else name,
            text=old.text if text is None else text,
            state={**old.state, **_camel(state)},
        )

    def toast(self, text: str) -> None:
        self.signal(ToastShownSignal(text=text))

    def signal(self, signal: WebSignal) -> None:
        self.signals.append(signal)

    def request(self, url: str, *, method: str = "GET", status: int = 200) -> None:
        """Record a request of the page, with the status of its response."""
        self.requests.append((url, method, status))

    def navigate(self, url: str) -> None:
        self.destination = url

    def open_popup(self, url: str) -> None:
        self.popup = url

    def open_dialog(self, dialog: Dialog) -> None:
        """Open a JavaScript dialog, which blocks the page until it is answered."""
        self.dialog = dialog

    # ------------------------------------------------------------------ the page as a graph

    def node_id(self, key: str) -> str:
        """Return the instanceId of a widget."""
        return self._ids[key]

    def find(self, instance_id: str) -> Widget | None:
        return next((self.widgets[key] for key, id in self._ids.items() if id == instance_id), None)

    def graph(self, seq: int, now: str) -> PageGraph:
        parts = urlsplit(self.url)
        return PageGraph(
            model_version="0.1",
            profile="web@0.1",
            revision=f"rev_{seq}",
            seq=seq,
            captured_at=now,
            route=RouteInfo(url=self.url, path=parts.path or "/", title=self.title or UNSET),
            documents=(
                DocumentNode(
                    document_id=self.document,
                    kind="root",
                    url=self.url,
                    origin=origin_of(self.url),
                    access="full",
                ),
            ),
            scopes=tuple(self._scope(scope) for scope in self.scopes.values()),
            elements=tuple(self._element(widget) for widget in self.widgets.values()),
            collections=tuple(self.collections.values()) or UNSET,
            focus=UNSET if self.focus is None else FocusInfo(target=self._ids[self.focus]),
            modal_stack=tuple(scope.key for scope in self.scopes.values() if scope.modal) or UNSET,
        )

    def _element(self, widget: Widget) -> ElementNode:
        state = {"visible": True, "enabled": True, **widget.state}
        if self.focus == widget.key:
            state["focused"] = True
        if state.get("sensitive") is True:  # as on a real page, a sensitive value is never published
            state = {name: value for name, value in state.items() if name != "textValue"}
        members: dict[str, Any] = {
            "instanceId": self._ids[widget.key],
            "documentId": self.document,
            "role": widget.role,
            "state": msgspec.to_builtins(msgspec.convert(state, WebElementState)),
            "affordances": list(AFFORDANCES.get(widget.role, ("read",))),
        }
        optional = {
            "name": widget.name,
            "text": widget.text,
            "scopeId": widget.scope,
            "stableId": widget.stable_id,
            "metadata": {"record": widget.record} if widget.record is not None else None,
        }
        members |= {member: value for member, value in optional.items() if value is not None}
        return msgspec.structs.replace(msgspec.convert(members, ElementNode), **widget.node_fields)

    def _scope(self, scope: ScriptedScope) -> ScopeNode:
        return msgspec.convert(
            {
                "scopeId": scope.key,
                "kind": scope.kind,
                "documentId": self.document,
                **({"name": scope.name} if scope.name else {}),
            },
            ScopeNode,
        )


def _camel(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the state with camel-case names: `text_value` and `textValue` mean the same member."""
    return {
        "".join([name.split("_")[0], *(part.title() for part in name.split("_")[1:])]): value
        for name, value in state.items()
    }
