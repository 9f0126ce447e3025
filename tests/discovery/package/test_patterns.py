"""Target patterns select the elements that their action was found on."""

from __future__ import annotations

import pytest

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, explore
from uiap.discovery.package.patterns import selected
from uiap.graph.store import GraphStore

PAGE = Page(
    [
        Element("button", "Save", scope="a"),
        Element("button", "Save", scope="b"),
        Element("button", "Delete", scope="a"),
        Element("button", "Publish", more={"stable_id": "video.publish", "default_action": "video.publish"}),
        Element("button", "Close"),
    ],
    (Scope("a", "region", "Draft"), Scope("b", "region", "Notes")),
)


@pytest.mark.requirement("DISC-6.5b")
def test_a_pattern_selects_on_a_later_page_exactly_the_elements_of_its_action() -> None:
    package, _, _ = explore({"/": PAGE})
    later = SimulatedApp({"/": Page([Element("link", "New", href="/n"), *PAGE.elements], PAGE.scopes)})
    store = GraphStore(later.graph())
    actions = [one for one in package.action_catalog.actions if one.kind != "primitive"]
    found = {
        one.id: [
            element.name for pattern in one.target_patterns or () for element in selected(store, pattern)
        ]
        for one in actions
    }
    assert found["video.publish"] == ["Publish"]
    assert found["candidate.root.delete"] == ["Delete"] and found["candidate.root.save"] == ["Save"]
    assert len(found) == 3
