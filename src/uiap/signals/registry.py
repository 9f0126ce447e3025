"""All signal kinds with how each is read and judged. Adding one is its variant in the spec, its file, its row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from uiap.graph.store import GraphStore
from uiap.signals import collection, dialog, element, feedback, reported, route, value
from uiap.signals.log import Log
from uiap.signals.verdict import Verdict


class Family(NamedTuple):
    read: Callable[[Any, GraphStore], Any]
    """What the graph says now; taken once before dispatch and again after each change."""
    judge: Callable[[Any, Any, Any, Log], Verdict]


FAMILIES: dict[str, Family] = {
    "element.appeared": Family(element.read_shown, element.appeared),
    "element.disappeared": Family(element.read_shown, element.disappeared),
    "element.state": Family(element.read_state, element.state),
    "value.equals": Family(value.read, value.judge),
    "route.changed": Family(route.read, route.judge),
    "dialog.opened": Family(dialog.read, dialog.opened),
    "dialog.closed": Family(dialog.read, dialog.closed),
    "toast.contains": Family(feedback.read_toast, feedback.toast),
    "status.contains": Family(feedback.read_status, feedback.status),
    "validation.none": Family(feedback.read_validation, feedback.validation),
    "collection.count": Family(collection.read, collection.judge),
    "entity.created": Family(reported.nothing_before, reported.entity),
    "entity.updated": Family(reported.nothing_before, reported.entity),
    "entity.deleted": Family(reported.nothing_before, reported.entity),
    "network.response": Family(reported.nothing_before, reported.network),
    "custom": Family(reported.nothing_before, reported.custom),
}
