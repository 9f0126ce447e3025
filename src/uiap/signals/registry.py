"""All kinds of signals, with the functions that read and judge each. To add one: spec variant, module, row here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from uiap.graph.store import GraphStore
from uiap.signals import collection, dialog, element, feedback, outside, reported, route, text, value
from uiap.signals.log import SignalLog
from uiap.signals.verdict import Verdict
from uiap.spec.capability import CustomSuccess, SuccessSignal


class SignalFamily(NamedTuple):
    """The two functions of one kind of signal."""

    read: Callable[[Any, GraphStore], Any]
    """Reads the graph: once before dispatch, and again after each change."""
    judge: Callable[[Any, Any, Any, SignalLog], Verdict]
    """Compares the reading before dispatch with the current one."""


SIGNAL_FAMILIES: dict[str, SignalFamily] = {
    "element.appeared": SignalFamily(element.read_visible, element.judge_appeared),
    "element.disappeared": SignalFamily(element.read_visible, element.judge_disappeared),
    "element.state": SignalFamily(element.read_state, element.judge_state),
    "value.equals": SignalFamily(value.read, value.judge),
    "route.changed": SignalFamily(route.read, route.judge),
    "dialog.opened": SignalFamily(dialog.read, dialog.judge_opened),
    "dialog.closed": SignalFamily(dialog.read, dialog.judge_closed),
    "toast.contains": SignalFamily(feedback.read_toast, feedback.judge_toast),
    "status.contains": SignalFamily(feedback.read_status, feedback.judge_status),
    "validation.none": SignalFamily(feedback.read_validation, feedback.judge_validation),
    "collection.count": SignalFamily(collection.read, collection.judge),
    "entity.created": SignalFamily(reported.read_nothing, reported.judge_entity),
    "entity.updated": SignalFamily(reported.read_nothing, reported.judge_entity),
    "entity.deleted": SignalFamily(reported.read_nothing, reported.judge_entity),
    "network.response": SignalFamily(reported.read_nothing, reported.judge_network),
    "custom": SignalFamily(reported.read_nothing, reported.judge_custom),
}

CUSTOM_FAMILIES: dict[str, SignalFamily] = {
    "text.appeared": SignalFamily(text.read, text.judge_appeared),
    "text.disappeared": SignalFamily(text.read, text.judge_disappeared),
    "tab.opened": SignalFamily(outside.read_nothing, outside.judge),
    "download.started": SignalFamily(outside.read_nothing, outside.judge),
    "download.completed": SignalFamily(outside.read_nothing, outside.judge),
    "clipboard.written": SignalFamily(outside.read_nothing, outside.judge),
    "page.restyled": SignalFamily(outside.read_nothing, outside.judge),
    "print.requested": SignalFamily(outside.read_nothing, outside.judge),
}
"""Custom signals that uiap itself observes, by their name. An application reports all others."""


def signal_name(signal: SuccessSignal) -> str:
    """Return the kind of a signal, or the name of a custom signal that uiap itself observes."""
    own = isinstance(signal, CustomSuccess) and signal.name in CUSTOM_FAMILIES
    return signal.name if isinstance(signal, CustomSuccess) and own else signal.kind


def family_of(signal: SuccessSignal) -> SignalFamily:
    return CUSTOM_FAMILIES.get(signal_name(signal)) or SIGNAL_FAMILIES[signal.kind]
