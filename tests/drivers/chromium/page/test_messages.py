"""Checks of the page script's messages: shape, document ids, and prefixes of ids chosen in a child frame."""

from __future__ import annotations

import json
from typing import Any

import pytest

from uiap.drivers.chromium.page.messages import (
    DeltaPush,
    GraphPush,
    GuardVerdict,
    Hello,
    PaintPush,
    PartPush,
    PushRejected,
    SignalPush,
    read_push,
)
from uiap.spec.web import ToastShownSignal


def message(**members: Any) -> str:
    return json.dumps({"seq": 1, "at": 1.5, "key": "s", **members})


def graph(**members: Any) -> dict[str, Any]:
    return {"route": {"url": "http://x/"}, "documents": [], **members}


ELEMENT = {"instanceId": "e1001", "documentId": "d2", "role": "button", "state": {}, "affordances": []}
SCOPE = {"scopeId": "checkout", "kind": "form", "documentId": "d2"}


def test_each_message_type_is_decoded_by_its_tag() -> None:
    verdict = {
        "t": "guard",
        "ok": False,
        "token": "op1",
        "node": "e1",
        "event": "click",
        "reason": "disabled",
    }
    texts = {
        Hello: message(t="hello", url="http://x/", origin="http://x"),
        PartPush: message(t="part", elements=[]),
        GraphPush: message(t="graph", graph=graph()),
        DeltaPush: message(t="delta", base=1, delta={}, causedBy="op1"),
        SignalPush: message(t="signal", signal={"kind": "toast.shown", "text": "saved"}),
        GuardVerdict: message(**verdict),
        PaintPush: message(t="paint", kind="paint", token="op1", node="e1", text="Saved"),
    }
    for kind, text in texts.items():
        assert type(read_push(text, "d1", root=True)) is kind
    signal = read_push(texts[SignalPush], "d1", root=True)
    assert isinstance(signal, SignalPush) and signal.signal == ToastShownSignal(text="saved")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{}",
        "{" * 5000,
        message(t="unknown"),
        message(t="graph"),
        message(t="graph", graph=graph(elements=[{**ELEMENT, "instanceId": "e1"}])),
        message(t="part", elements=[{**ELEMENT, "instanceId": "e1"}]),
        message(t="graph", graph=graph(elements=[{**ELEMENT, "documentId": "d1"}])),
        message(t="graph", graph=graph(elements=[{**ELEMENT, "role": "wizard"}])),
        message(t="graph", graph=graph(scopes=[{**SCOPE, "documentId": "d1"}])),
        message(t="graph", graph=graph(documents=[{"documentId": "d1", "kind": "root", "access": "full"}])),
        message(t="delta", base=1, delta={"elements": {"removed": ["e1"]}}),
        message(t="delta", base=1, delta={"elements": {"updated": [{"key": "e1", "patch": {}}]}}),
        message(t="delta", base=1, delta={"documents": {"removed": ["d1"]}}),
        message(t="delta", base=1, delta={"documents": {"updated": [{"key": "d1", "patch": {}}]}}),
        message(t="signal", signal={"kind": "money.arrived"}),
    ],
)
@pytest.mark.parametrize("root", [True, False])
def test_message_with_unknown_shape_or_about_another_document_is_rejected(text: str, root: bool) -> None:
    with pytest.raises(PushRejected):
        read_push(text, "d2", root=root)


def test_ids_chosen_by_the_app_in_a_child_frame_are_prefixed() -> None:
    inner = graph(
        scopes=[SCOPE, {**SCOPE, "scopeId": "d2s1", "parentScopeId": "checkout"}],
        elements=[{**ELEMENT, "scopeId": "checkout"}],
        collections=[{"collectionId": "rows", "ownerInstanceId": "e1001", "role": "list", "count": 1}],
        modalStack=["checkout"],
        focus={"target": "e1001", "scopeId": "checkout"},
    )
    push = read_push(message(t="graph", graph=inner), "d2", root=False)
    assert isinstance(push, GraphPush)
    read = push.graph
    assert [scope.scope_id for scope in read.scopes] == ["d2/checkout", "d2s1"]
    assert read.scopes[1].parent_scope_id == "d2/checkout"
    assert read.elements[0].scope_id == "d2/checkout"
    assert read.collections[0].collection_id == "d2/rows"
    assert read.modal_stack == ("d2/checkout",)
    assert read.focus is not None and read.focus.scope_id == "d2/checkout"


def test_deltas_of_a_child_frame_use_the_same_prefixed_ids() -> None:
    changes = {
        "scopes": {"removed": ["old"], "updated": [{"key": "checkout", "patch": {"name": "x"}}]},
        "elements": {"updated": [{"key": "e1001", "patch": {"scopeId": "checkout"}}]},
    }
    push = read_push(message(t="delta", base=1, delta=changes), "d2", root=False)
    assert isinstance(push, DeltaPush) and push.delta.scopes and push.delta.elements
    assert push.delta.scopes.removed == ("d2/old",)
    assert push.delta.scopes.updated and push.delta.scopes.updated[0].key == "d2/checkout"
    assert push.delta.elements.updated and push.delta.elements.updated[0].patch == {"scopeId": "d2/checkout"}


def test_root_document_keeps_the_ids_chosen_by_the_app() -> None:
    push = read_push(message(t="graph", graph=graph(scopes=[SCOPE])), "d2", root=True)
    assert isinstance(push, GraphPush) and push.graph.scopes[0].scope_id == "checkout"


def test_paint_in_another_document_is_rejected() -> None:
    with pytest.raises(PushRejected):
        read_push(message(t="paint", kind="paint", token="op1", node="e1001"), "d1", root=True)
    route = read_push(message(t="paint", kind="route", token="op1"), "d1", root=True)
    assert isinstance(route, PaintPush) and route.node == ""
