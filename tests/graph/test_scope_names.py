"""Names of scopes that do not change with a reload."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.query import by_role_name
from uiap.graph.scope_names import derived_scope_id, is_generated, name_slug
from uiap.graph.store import GraphStore


def test_a_scope_is_named_by_the_kinds_and_names_on_its_path() -> None:
    page = Page()
    app = page.scope("app")
    region = page.scope("region", parent=app)
    dialog = page.scope("dialog", "New video", parent=region)
    form = page.scope("form", parent=dialog)
    own = page.scope("form", "Mail", parent=region, scope_id="mail.form")
    store = GraphStore(page.graph())
    names = {id: derived_scope_id(store, store.scopes[id]) for id in (app, region, dialog, form, own)}
    assert list(names.values()) == ["app", "region", "dialog.new-video", "dialog.new-video/form", "mail.form"]


def test_a_reference_with_a_derived_scope_finds_the_element() -> None:
    page = Page()
    for name in ("Profile", "Mail"):
        form = page.scope("form", name)
        page.element("button", "Save", scope_id=form)
    store = GraphStore(page.graph())
    ((found, _),) = by_role_name(store, "button", "Save", scope="form.mail")
    assert store.scopes[str(found.scope_id)].name == "Mail"


def test_numbers_do_not_count_in_the_name_of_a_scope() -> None:
    assert name_slug("38 videos") == name_slug("1,204 videos") == "n-videos"


@pytest.mark.parametrize(
    ("id", "made_up"), [("s3", True), ("d1s12", True), ("video.form", False), ("s3x", False)]
)
def test_the_page_script_makes_up_numbered_ids(id: str, made_up: bool) -> None:
    assert is_generated(id) is made_up
