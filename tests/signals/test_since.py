"""Verdicts without an action: since a revision, or about the current page."""

from __future__ import annotations

from tests.graph.pages import Page, delta
from uiap.graph.store import GraphStore
from uiap.signals.since import judge_since, store_at
from uiap.spec.capability import ElementAppeared, StableIdRef, ToastContains
from uiap.spec.web import NodeDelta, NodePatch, ToastShownSignal

NEW = ElementAppeared(target=StableIdRef(value="new"))


def store() -> GraphStore:
    page = Page()
    page.element("button", "Old", stable_id="old")
    return GraphStore(page.graph())


def changed() -> GraphStore:
    now = store()
    extra = Page()
    extra.element("button", "New", stable_id="new", instance_id="f0e9")
    patch = NodePatch(key="f0e1", patch={"name": "Older"})
    now.apply(delta("r1", "r2", 2, elements=NodeDelta(added=(extra.elements[0],), updated=(patch,))))
    return now


def test_the_store_before_the_changes_is_restored() -> None:
    now = changed()
    changes = now.since("r1")
    assert changes is not None
    before = store_at(now, changes)
    assert before.revision == "r1"
    assert [one.name for one in before] == ["Old"]
    assert [one.name for one in now] == ["Older", "New"]


def test_with_a_baseline_only_a_change_counts_and_without_one_the_current_page() -> None:
    now = changed()
    assert judge_since([NEW], store(), now, ())[0].holds
    assert not judge_since([NEW], now, now, ())[0].holds
    assert judge_since([NEW], None, now, ())[0].holds


def test_a_reported_signal_counts_as_coincident() -> None:
    wanted = ToastContains(text="saved")
    (verdict,) = judge_since([wanted], None, store(), [ToastShownSignal(text="Video saved")])
    assert verdict.holds and verdict.attribution == "coincident"
    assert not judge_since([wanted], None, store(), ())[0].holds
