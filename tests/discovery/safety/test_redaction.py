"""Private data is masked before anything is stored."""

from __future__ import annotations

import msgspec
import pytest

from tests.discovery.simulated_app import Element, Page, SimulatedApp
from uiap.discovery.knowledge.canonical import canonical_page
from uiap.discovery.safety.redaction import clean_url, mask_report, mask_text, redact_graph
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
    page_data = canonical_page(GraphStore(SimulatedApp({"/": page}).graph()))
    data = page_data.data.decode()
    assert not any(word in data for word in ("Ada", "hunter2", "ada@"))
    assert "Viewer" in data and page_data.graph.redacted is True


def test_masked_by_one_rule_in_addresses_placeholders_values_and_record_keys() -> None:
    page = Page(
        [
            Element("textbox", "To", state={"placeholder": "mail ada@example.test"}),
            Element("custom", "Colour", state={"text_value": "#1a2b3c"}),
            Element("option", "First", state={"text_value": "secret-choice"}),
            Element("link", "Person", href="/people/ada%40example.test", record="text:Ada Brunner"),
        ]
    )
    stored = msgspec.json.encode(redact_graph(SimulatedApp({"/": page}).graph())).decode()
    for text in ("ada@", "ada%40", "1a2b3c", "secret-choice", "Ada Brunner"):
        assert text not in stored, text
    assert '"record":"text:' in stored


def test_addresses_inside_a_report_are_cleaned() -> None:
    text = mask_report("route is now http://app.test/next?token=abc123&page=2, then ada%40example.test")
    assert "abc123" not in text and "ada%40" not in text and "page=2" in text
