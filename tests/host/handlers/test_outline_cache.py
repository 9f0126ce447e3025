"""Outlines are made once per revision and reader, and another page folds what it repeats."""

from __future__ import annotations

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.handlers.outline_cache import OutlineCache
from uiap.host.privacy.private_values import PrivateValues
from uiap.spec.policy import PolicyPrincipal
from uiap.spec.tools import ToolsOutlinePayload

AGENT = PolicyPrincipal(type="agent", id="a", grants=("observe",))
PERSON = PolicyPrincipal(type="user", id="p", grants=("observe", "read.sensitive", "read.secret", "billing"))
WHOLE = ToolsOutlinePayload()


def store_with(*names: str, revision: str = "rev_1") -> GraphStore:
    page = Page()
    for name in names:
        page.element("link", name)
    return GraphStore(page.graph(revision))


def test_an_unchanged_page_is_not_written_twice(monkeypatch):
    cache, store, values = OutlineCache(), store_with("Home"), PrivateValues(())
    first = cache.text("t1", store, values.redaction_for(AGENT), WHOLE)
    monkeypatch.setattr("uiap.host.handlers.outline_cache.outline", None)
    assert cache.text("t1", store, values.redaction_for(AGENT), WHOLE) is first


def test_a_learned_private_value_is_masked_although_the_page_is_unchanged():
    cache, store, values = OutlineCache(), store_with("correct-horse-battery"), PrivateValues(())
    assert "correct-horse-battery" in cache.text("t1", store, values.redaction_for(AGENT), WHOLE)
    values.learn("correct-horse-battery", None)
    assert "correct-horse-battery" not in cache.text("t1", store, values.redaction_for(AGENT), WHOLE)
    assert "correct-horse-battery" in cache.text("t1", store, values.redaction_for(PERSON), WHOLE)


def test_another_page_folds_the_lines_of_the_page_before():
    cache, values = OutlineCache(), PrivateValues(())
    reader = values.redaction_for(AGENT)
    cache.text("t1", store_with("Home", "Videos"), reader, WHOLE)
    since = ToolsOutlinePayload(since="rev_1")
    text = cache.text("t1", store_with("Home", "Videos", "Saved", revision="rev_9"), reader, since)
    assert text.splitlines()[1] == "… navigation as before (2 lines)"
    assert "Saved" in text
