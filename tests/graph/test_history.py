"""The recent steps of a store: how far they reach back, and their net change."""

from __future__ import annotations

from tests.graph.pages import Page
from uiap.graph.changes import KINDS
from uiap.graph.history import KEPT_NODES, History, PageFacts, RevisionStep, net_changes
from uiap.spec.web import ElementNode, RouteInfo

FACTS = PageFacts(RouteInfo(url="http://app.test/", path="/"), viewport=None, focus=None, modal_stack=())  # type: ignore[arg-type]


def element(name: str) -> ElementNode:
    page = Page()
    page.element("button", name)
    return page.elements[0]


def step(base: str, **nodes: ElementNode | None) -> RevisionStep:
    return RevisionStep(base, FACTS, {"elements": dict(nodes)} if nodes else {})


def test_the_steps_after_a_revision_are_returned_oldest_first() -> None:
    history = History()
    for base in ("r1", "r2", "r3"):
        history.push(step(base))
    found = history.after("r2")
    assert found is not None and [one.base for one in found] == ["r2", "r3"]
    assert history.after("r9") is None


def test_at_least_sixteen_steps_are_kept_however_large_they_are() -> None:
    history = History()
    node = element("Save")
    large = {f"e{n}": node for n in range(KEPT_NODES)}
    for number in range(20):
        history.push(RevisionStep(f"r{number}", FACTS, {"elements": dict(large)}))
    assert len(history) == 16
    assert history.after("r3") is None and history.after("r4") is not None


def test_the_net_change_leaves_out_what_was_added_and_removed_in_between() -> None:
    old, new = element("Save"), element("Saved")
    steps = [step("r1", a=old, b=None), step("r2", b=element("Toast"))]
    changes = net_changes(
        "r1", "r3", steps, {kind: {"a": new} if kind == "elements" else {} for kind in KINDS}, FACTS
    )
    assert not changes.elements.added and not changes.elements.removed
    (update,) = changes.elements.updated
    assert update.members == {"name": ("Save", "Saved")}
    assert changes.route is None
