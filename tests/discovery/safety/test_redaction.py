from __future__ import annotations

import pytest

from tests.discovery.simulated_app import BASE, Element, Page, SimulatedApp
from uiap.digests import content_digest
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.discovery.package import accessibility
from uiap.discovery.safety.redaction import clean_url, mask_text
from uiap.graph.store import GraphStore


@pytest.mark.parametrize(
    "secret",
    [
        "ada@videoland.example",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
        "4111 1111 1111 1111",
        "CH93 0076 2011 6238 5295 7",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "+41 44 668 18 00",
    ],
)
@pytest.mark.requirement("DISC-SEC.2")
def test_personal_data_is_masked(secret: str) -> None:
    assert secret not in mask_text(f"before {secret} after")
    assert (
        mask_text("Open invitations (2), 30 videos, 2026-03-26")
        == "Open invitations (2), 30 videos, 2026-03-26"
    )


def test_addresses_lose_credentials_and_tokens() -> None:
    assert (
        clean_url("https://me:pw@a.test/x?page=2&token=abc&session_id=9#top") == "https://a.test/x?page=2#top"
    )


@pytest.mark.requirement("DISC-SEC.2", "DISC-SEC.3")
def test_a_stored_graph_contains_no_secret() -> None:
    page = Page(
        [
            Element("textbox", "Name", state={"text_value": "Ada Brunner"}),
            Element("textbox", "Password", state={"text_value": "hunter2", "sensitive": True}),
            Element("cell", "", more={"text": "Ada Brunner", "affordances": ("read",)}),
            Element("button", "Write to ada@videoland.example"),
            Element("combobox", "Role", state={"text_value": "Viewer"}),
        ]
    )
    seen = canonical_page(GraphStore(SimulatedApp({"/": page}).graph()))
    data = seen.data.decode()
    assert not any(word in data for word in ("Ada", "hunter2", "ada@"))
    assert "Viewer" in data and seen.graph.redacted is True


def test_a_stored_accessibility_tree_has_only_roles_and_masked_names() -> None:
    nodes = (
        b'[{"role":{"value":"button"},"name":{"value":"Mail ada@x.example"},"value":{"value":"secret"}},'
        b'{"ignored":true,"role":{"value":"none"}}]'
    )
    assert accessibility.redact_tree(nodes) == '[{"role":"button","name":"Mail •••"}]'.encode()


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
