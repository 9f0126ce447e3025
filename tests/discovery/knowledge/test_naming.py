"""Names of scopes, elements and routes: the application's own, else made from their meaning."""

from __future__ import annotations

from msgspec import UNSET

from tests.graph.pages import Page
from uiap.discovery.knowledge.naming import scope_id, scope_key, scope_path_key, slug, target_of
from uiap.graph.store import GraphStore
from uiap.graph.view import scopes_of
from uiap.spec.capability import SemanticRef, StableIdRef


def store() -> GraphStore:
    page = Page()
    outer = page.scope("dialog", "Edit video 17", scope_id="s1")
    inner = page.scope("form", "Details", parent=outer, scope_id="s2")
    page.scope("region", "News", scope_id="news.panel")
    page.element("button", "Save", scope_id=inner, instance_id="save")
    page.element("button", "Close", stable_id="close", instance_id="close")
    return GraphStore(page.graph())


def test_a_slug_has_words_only_and_is_bounded() -> None:
    assert slug("Edit: Video & Title!") == "edit-video-title"
    assert len(slug("word " * 40)) <= 40


def test_a_scope_has_its_annotated_id_or_the_names_along_its_path_without_numbers() -> None:
    made = store()
    assert scope_id(made, made.scopes["news.panel"]) == "news.panel"
    named = scope_id(made, made.scopes["s2"])
    assert named.endswith("/form.details") and "17" not in named


def test_scopes_that_differ_only_in_a_number_have_one_key() -> None:
    page = Page()
    for number in (1, 2):
        page.scope("dialog", f"Edit video {number}", scope_id=f"s{number}")
    one, two = page.scopes
    assert scope_key(one) == scope_key(two)


def test_an_element_is_referred_to_by_stable_id_else_by_role_name_and_scope() -> None:
    made = store()
    assert target_of(made, made.elements["close"]) == StableIdRef(value="close")
    found = target_of(made, made.elements["save"])
    assert isinstance(found, SemanticRef)
    assert (found.role, found.name) == ("button", "Save") and found.scope is not UNSET


def test_a_path_key_names_the_scopes_from_the_outside_in() -> None:
    made = store()
    assert scope_path_key(scopes_of(made, made.elements["save"])).count(">") == 1
