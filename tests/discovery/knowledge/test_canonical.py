"""The canonical form of a page."""

from __future__ import annotations

import pytest

from tests.discovery.simulated_app import BASE, Element, Page, SimulatedApp
from uiap.digests import content_digest
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.graph.store import GraphStore


@pytest.mark.requirement("DISC-11.3b", "DISC-17.1")
def test_the_same_state_gives_the_same_bytes_every_time() -> None:
    app = SimulatedApp({"/": Page([Element("button", "A"), Element("link", "B", href="/b")])})
    first = canonical_page(GraphStore(app.graph()))
    graph = app.graph()
    later = canonical_page(
        GraphStore(
            graph.__class__(
                **{**{f: getattr(graph, f) for f in graph.__struct_fields__}, "seq": 9, "revision": "rev_9"}
            )
        )
    )
    assert first.data == later.data and content_digest(first.data) == content_digest(later.data)
    assert first.live_ids["e2"] == "d1e2" and app.url == BASE + "/"
