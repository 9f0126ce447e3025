"""Scopes of a bundle on a live page that does not annotate them."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.bundles.matching import ElementMatching
from uiap.host.bundles.routes import Routes
from uiap.host.bundles.scopes import Scopes
from uiap.spec.authoring import ElementBinding, LabelMatcher, ScopeBinding

MAIL = ScopeBinding(id="mail", kind="form", title="Mail", parent_scope_id="settings")
SETTINGS = ScopeBinding(id="settings", kind="region", title="Settings")
FIELDS = tuple(
    ElementBinding(id=name, role="textbox", scope_id="mail", match=(LabelMatcher(text=name),))
    for name in ("Address", "Reply to", "Signature")
)


def live(page: Page, id: str = "mail") -> frozenset[str]:
    return ElementMatching(FIELDS, (MAIL, SETTINGS), Routes(()), "data-uiap-id").scopes.live(
        GraphStore(page.graph()), id
    )


def page(form: str, *, fields: int = 3, region: str = "Settings") -> Page:
    made = Page()
    outer = made.scope("region", region)
    inner = made.scope("form", form, parent=outer)
    for one in FIELDS[:fields]:
        made.element("textbox", one.id, scope_id=inner)
    other = made.scope("form", "Profile", parent=outer)
    made.element("textbox", "Address", scope_id=other)
    return made


@pytest.mark.requirement("RUN-11")
@pytest.mark.parametrize(
    ("made", "ids"),
    [
        (page("Mail"), {"f0s2"}),
        (page("E-mail options"), {"f0s2"}),  # renamed, but it has the known fields
        (page("E-mail options", fields=1), set()),
        (page("Mail", region="Preferences"), {"f0s2"}),  # the outer scope is not recognised
    ],
)
def test_a_scope_is_recognised_by_its_name_or_by_its_content(made: Page, ids: set[str]) -> None:
    assert live(made) == ids


@pytest.mark.requirement("RUN-13")
def test_a_scope_outside_the_outer_scope_is_not_the_same() -> None:
    made = page("Other", fields=0)
    made.scope("form", "Mail")
    assert live(made) == frozenset()


def test_an_annotated_scope_is_recognised_by_its_id() -> None:
    made = Page()
    made.scope("region", "Anything", scope_id="mail")
    assert live(made) == {"mail"}


def test_a_known_form_without_a_name_separates_its_elements_from_the_scope_around_it() -> None:
    made = Page("/settings")
    outer = made.scope("app", "Shop")
    form = made.scope("form", None, parent=outer)
    layout = made.scope("group", None, parent=outer)
    made.element("link", "Today", scope_id=form)
    made.element("link", "Later", scope_id=layout)
    store = GraphStore(made.graph())
    bindings = [
        ScopeBinding(id="app", kind="app", title="Shop"),
        ScopeBinding(id="form", kind="form", parent_scope_id="app"),
        ScopeBinding(id="group", kind="group", parent_scope_id="app"),
    ]
    scopes = Scopes(bindings, (), Routes(()), lambda *_: False)
    today, later = (next(one for one in store if one.name == name) for name in ("Today", "Later"))
    assert not scopes.holds(store, today, "app") and scopes.holds(store, today, "form")
    assert scopes.holds(store, later, "app")
