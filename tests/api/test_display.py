"""Graphs and results in a notebook: page text is escaped, and the HTML loads and runs nothing."""

from __future__ import annotations

from html.parser import HTMLParser

import msgspec
import pytest

from tests.mcp_server.payloads import PAYLOADS
from tests.support.handlers import Notes, running_handler
from uiap.api.graph import Graph
from uiap.api.result import Result
from uiap.api.trace import Trace
from uiap.drivers.scripted import ScriptedDriver
from uiap.errors import UiapError
from uiap.spec.action import ActionResultPayload

HOSTILE = ["<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "'\"><b>", "&lt;", *PAYLOADS]
ALLOWED = {"div", "b", "pre", "p", "details", "summary", "table", "tr", "th", "td"}


class _Reader(HTMLParser):
    """Collects the tags, the attributes and the text."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


def read(html: str) -> _Reader:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader


@pytest.mark.parametrize("words", HOSTILE)
async def test_page_text_is_escaped_in_a_graph(words: str):
    driver = ScriptedDriver(Notes().page())
    await driver.start(lambda _event: None)
    payload = await driver.observe()
    named = msgspec.structs.replace(payload.elements[0], name=words, stable_id=words)
    graph = Graph(msgspec.structs.replace(payload, elements=(named, *payload.elements[1:])))
    parsed = read(graph._repr_html_())
    assert parsed.tags <= ALLOWED
    assert parsed.attributes == {"style"}
    assert words in parsed.text
    assert "url(" not in graph._repr_html_()


@pytest.mark.parametrize("words", HOSTILE)
def test_a_result_shows_evidence_side_effect_and_error_escaped(words: str):
    payload = msgspec.convert(
        {
            "actionHandle": "h",
            "actionId": "ui.activate",
            "status": "failed",
            "verification": {
                "passed": False,
                "policy": "all",
                "observed": [{"kind": "toast.contains", "text": words}],
                "missing": [{"kind": "dialog.opened"}],
            },
            "sideEffectState": "unknown",
            "resolvedTarget": {
                "by": "instanceId",
                "instanceId": "d1e1",
                "documentId": "d1",
                "role": "button",
                "name": words,
            },
            "error": {"code": "verification_failed", "message": words},
            "metadata": {"durationMs": 12.4},
        },
        ActionResultPayload,
    )
    parsed = read(Result(payload)._repr_html_())
    assert parsed.tags <= ALLOWED
    assert parsed.attributes == {"style"}
    for part in ("failed", "ui.activate", words, "unknown", "dialog.opened", "12 ms", "verification_failed"):
        assert part in parsed.text


async def test_a_replayed_result_says_so_in_python() -> None:
    async with running_handler() as one:
        first = Result(await one.act(key="k"))
        asked: list[str] = []

        async def fetch(handle: str) -> Trace:
            asked.append(handle)
            raise UiapError("no trace here")

        again = Result(await one.act(key="k"), fetch)
        with pytest.raises(UiapError):
            await again.trace()
    assert (first.replayed, again.replayed) == (False, True)
    assert "nothing was done now" in repr(again) and "nothing was done now" in read(again._repr_html_()).text
    assert "replayed" not in repr(first)
    assert asked == [first.payload.action_handle], "the trace is the one of the action that acted"
