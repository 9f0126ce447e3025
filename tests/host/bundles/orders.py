"""A bundle about orders, a page for it, and helpers that bind one to the other."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.authoring.folders import action, built, manifest, package, policy
from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.bundle import Bundle
from uiap.runtime.resolve import Candidate, Candidates, gather
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.capability import (
    RiskDescriptor,
    SemanticRef,
    StableIdRef,
)

pytest.importorskip("cryptography")


ROUTES = [{"id": "orders", "match": [{"kind": "path", "value": "/orders"}]}]


TOAST = {"kind": "toast.contains", "text": "sent"}


ELEMENTS: list[dict[str, Any]] = [
    {
        "id": "order.send",
        "role": "button",
        "routeIds": ["orders"],
        "match": [
            {"by": "annotation", "attr": "data-uiap-id", "value": "order.send"},
            {"by": "semantic", "role": "button", "name": "Send order"},
        ],
        "success": [{"kind": "route.changed", "pattern": "/orders/:id"}, TOAST],
        "risk": "safe",
        "meaning": "order.send",
    },
    {
        "id": "order.delete",
        "role": "button",
        "scopeId": "danger",
        "match": [{"by": "semantic", "role": "button", "name": "Delete", "scopeId": "danger"}],
        "defaultAction": "order.delete",
    },
    {
        "id": "order.note",
        "role": "textbox",
        "match": [{"by": "label", "text": "Note"}],
        "dataClasses": ["personal"],
    },
    {
        "id": "order.pay",
        "role": "button",
        "name": {"default": "Pay", "byLocale": {"de": "Zahlen"}},
        "match": [{"by": "annotation", "attr": "data-uiap-id", "value": "order.pay"}],
    },
    {
        "id": "order.close",
        "role": "button",
        "match": [{"by": "text", "text": "Close"}],
        "success": [{"kind": "element.disappeared", "target": {"by": "stableId", "value": "order.note"}}],
    },
    {
        "id": "order.hint",
        "role": "button",
        "match": [{"by": "runtimeHint", "css": "#x"}, {"by": "text", "text": "Hint"}],
    },
]


DELETE = action(
    "order.delete",
    "blocked",
    targetKinds=["element"],
    success=[{"kind": "status.contains", "text": "gone"}, TOAST],
)


def compiled(version: str = "1.0.0", **app: Any) -> bytes:
    """Return the compiled bundle of a small app."""
    spec = {"appId": "shop", "displayName": "Shop", **app}
    files = package(
        manifest("App", "app.core", spec),
        manifest(
            "Bindings",
            "b",
            {"routes": ROUTES, "scopes": [{"id": "danger", "kind": "region"}], "elements": ELEMENTS},
        ),
        manifest("Actions", "a", {"actions": [DELETE]}),
        manifest("PolicySet", "p", {"policies": [policy("house")]}),
        version=version,
    )
    result = built(files)
    assert result.data, [str(d) for d in result.diagnostics]
    return result.data


def bindings(*, trusted: bool = False) -> Bindings:
    return Bindings(msgspec.json.decode(compiled(), type=UIAPCompiledBundle), trusted=trusted)


def page(path: str = "/orders") -> Page:
    made = Page(path)
    danger = made.scope("region", "Danger", scope_id="danger")
    made.element("button", "Send order", risk=RiskDescriptor(level="confirm"))
    made.element("button", "Delete", scope_id=danger)
    made.element("textbox", "Note")
    return made


def bound(
    made: Page, target: ActionTarget | str, *, trusted: bool = False, bundle: Bundle | None = None
) -> Candidates:
    store = GraphStore(made.graph())
    if isinstance(target, str):
        target = ActionTarget(ref=StableIdRef(value=target))
    binder = bundle.bind if bundle is not None else bindings(trusted=trusted).bind
    return binder(store, target, gather(store, target))


def the_one(gathered: Candidates) -> Candidate:
    (candidate,) = gathered.candidates
    return candidate


def by_words() -> ActionTarget:
    return ActionTarget(ref=SemanticRef(role="button", name="Send order"))
