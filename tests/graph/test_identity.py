"""Keys that stay valid after a page load: route patterns, semantic keys, record keys."""

import pytest

from tests.graph.pages import Page, delta, grid, patch
from uiap.graph.identity import display_key, record_key, route_key, route_pattern, semantic_key
from uiap.graph.store import GraphStore
from uiap.graph.view import record_key_of, record_of, scopes_of
from uiap.spec.web import NodeDelta, RouteInfo


def semantic_key_of(store: GraphStore, id: str) -> str:
    element = store.elements[id]
    return semantic_key(store.route, scopes_of(store, element), element)


PATTERNS = [
    ("/", "/"),
    ("/users", "/users"),
    ("/users/", "/users"),
    ("/users/42", "/users/:id"),
    ("/users/42/edit?tab=1#x", "/users/:id/edit"),
    ("/videos/3f2504e0-4f89-41d3-9a0c-0305e82c3301", "/videos/:id"),
    ("/commit/9fceb02d0ae598e95dc970b7", "/commit/:id"),
    ("/users/user-7", "/users/:id"),
    ("/posts/how-to-cook-rice-8842", "/posts/:id"),
    ("/p/dQw4w9WgXcQ1", "/p/:id"),
    ("/reports/2026-01-31", "/reports/:id"),
    ("/wizard/step-2", "/wizard/step-2"),
    ("/api/v2/oauth2", "/api/v2/oauth2"),
    ("/s3-buckets", "/s3-buckets"),
    ("/item/blue-lamp-18_19", "/item/:id"),
    ("/shop/red-wool-sock-7", "/shop/:id"),
    ("/setup/install-step-2", "/setup/install-step-2"),
    ("/profile/orders", "/profile/orders"),
    ("#/videos/9", "/videos/:id"),
    ("http://app.test/users/1", "/users/:id"),
]


@pytest.mark.parametrize(("path", "pattern"), PATTERNS)
def test_segments_that_name_records_become_id(path: str, pattern: str) -> None:
    assert route_pattern(path) == pattern


def test_a_declared_route_id_beats_the_path() -> None:
    assert route_key(RouteInfo(url="/users/1", route_id="user.detail")) == "user.detail"


@pytest.mark.requirement("MDM-R2")
def test_a_recreated_element_has_the_same_semantic_key_and_another_id() -> None:
    page = Page("/users/41")
    form = page.scope("form", "Profile")
    page.element("button", "Save  changes", scope_id=form)
    store = GraphStore(page.graph())
    before = semantic_key_of(store, "f0e2")
    assert before == "/users/:id|form:profile|button|save changes"
    again = Page()
    again.element("button", "Save changes", instance_id="f0e9", scope_id=form)
    store.apply(delta("r1", "r2", 2, elements=NodeDelta(removed=("f0e2",), added=tuple(again.elements))))
    assert semantic_key_of(store, "f0e9") == before


@pytest.mark.requirement("MDM-R2")
def test_meaning_and_stable_ids_beat_words_that_translation_changes() -> None:
    page = Page()
    form = page.scope("form", "Profil", stable_id="profile.form")
    page.element("textbox", "Titel", scope_id=form, meaning="video.title")
    store = GraphStore(page.graph())
    assert semantic_key_of(store, "f0e2") == "/users|profile.form|textbox|video.title"


@pytest.mark.requirement("MDM-R2")
def test_the_record_key_of_an_element_changes_if_its_row_is_recycled() -> None:
    store = GraphStore(grid(3).graph())
    delete = next(one for one in store if one.name == "Delete")
    record = record_of(store, delete)
    assert record is not None and record.role == "row"
    assert record_key_of(store, delete) == "text:user-0"
    for seq, ref in enumerate((record.instance_id, delete.instance_id), 2):
        recycled = patch(ref, metadata={"record": "text:user-50"})
        store.apply(delta(f"r{seq - 1}", f"r{seq}", seq, elements=recycled))
    assert record_key_of(store, store.elements[delete.instance_id]) == "text:user-50"


def test_a_record_without_a_published_key_is_identified_by_its_first_cell() -> None:
    page = Page()
    row = page.element("row")
    page.element("cell", parent_instance_id=row)
    page.element("cell", text="Ada  Lovelace", parent_instance_id=row)
    button = page.element("button", "Delete", parent_instance_id=row)
    store = GraphStore(page.graph())
    assert record_key(store.elements[row], store.below(row)) == "ada lovelace"
    assert record_key_of(store, store.elements[button]) == "ada lovelace"


def test_a_card_is_the_outermost_element_with_the_same_key() -> None:
    page = Page()
    card = page.element("group", metadata={"record": "data-id:7"})
    link = page.element("link", "Open", parent_instance_id=card, metadata={"record": "data-id:7"})
    page.element("button", "Like", parent_instance_id=link, metadata={"record": "data-id:7"})
    store = GraphStore(page.graph())
    assert record_of(store, store.elements["f0e3"]) is store.elements[card]


def test_a_control_with_a_key_of_its_own_still_belongs_to_its_row() -> None:
    page = Page()
    row = page.element("row", metadata={"entity": "video:4"})
    cell = page.element("cell", parent_instance_id=row)
    page.element("button", "Delete", parent_instance_id=cell, metadata={"record": "data-id:4 Delete"})
    page.element("button", "Alone", metadata={"record": "data-id:5"})
    store = GraphStore(page.graph())
    assert record_of(store, store.elements["f0e3"]) is store.elements[row]
    assert record_key_of(store, store.elements["f0e3"]) == "video:4"
    assert record_key_of(store, store.elements["f0e4"]) == "data-id:5"


def test_a_key_is_displayed_without_its_source_prefix() -> None:
    assert [display_key(key) for key in ("data-id:7", "text:Ada", "video:42")] == ["7", "Ada", "video:42"]
