"""Breakers of discovery that only a page in a browser shows. `discovery_breakers` puts them into its table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tests.broken.knowledge_breakers import _replace
from uiap.discovery import events
from uiap.discovery.knowledge import findings, knowledge
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.package.transition_catalog import TransitionCatalog
from uiap.host.runs import page_worker

PAGE = "tests/browser/test_discovery_page.py::test_"


def _without_elements(name: str) -> None:
    own = Findings._add_element

    def add(self: Any, store: Any, one: Any, *rest: Any) -> None:
        if one.name != name:
            own(self, store, one, *rest)

    _replace(Findings, "_add_element", add)


def _dangling_graphs() -> None:
    own = TransitionCatalog._state
    _replace(
        TransitionCatalog,
        "_state",
        lambda self, one: replace(own(self, one), page_graph_ref=f"{one.id}.other"),
    )


# requirement, test, lie
LIVE_PAGE_BREAKERS: dict[str, tuple[str, str, Callable[[], Any]]] = {
    "frames-are-left-out": (
        "DISC-12.1",
        PAGE + "own_frames_and_open_shadow_roots_are_explored",
        lambda: _without_elements("Show inside frame"),
    ),
    "shadow-roots-are-left-out": (
        "DISC-12.4",
        PAGE + "own_frames_and_open_shadow_roots_are_explored",
        lambda: _without_elements("Show inside shadow"),
    ),
    "hosts-of-closed-roots-publish-nothing": (
        "DISC-12.5b",
        PAGE + "the_host_of_a_closed_shadow_root_publishes_a_control_and_its_inside_stays_closed",
        lambda: _without_elements("Open chat"),
    ),
    "obligations-hold-in-a-simulation-only": (
        "DISC-16b",
        PAGE + "the_seven_obligations_of_a_review_hold_on_a_live_page",
        lambda: _replace(knowledge, "contradiction_of", lambda *_: None),
    ),
    "sensitivity-is-never-hinted": (
        "DISC-11.4c",
        PAGE + "passwords_and_cards_have_data_classes_and_risky_controls_a_risk",
        lambda: _replace(findings.ElementFinding, "add_risk", lambda *_: None),
    ),
    "only-before-and-after-are-compared": (
        "DISC-11.2d",
        PAGE + "a_message_that_is_gone_before_the_next_capture_is_recorded",
        lambda: _replace(page_worker.PageEffects, "effects", lambda _self, **_: events.Effects()),
    ),
    "references-of-states-lead-nowhere": (
        "DISC-6.6",
        PAGE + "the_references_of_a_state_open_its_graph_and_its_picture",
        _dangling_graphs,
    ),
}
