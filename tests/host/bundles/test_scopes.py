"""Scopes of a bundle on a live page that does not annotate them."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.store import GraphStore
from uiap.host.bundles.matching import ElementMatching
from uiap.host.bundles.routes import Routes
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


def test_a_scope_outside_the_outer_scope_is_not_the_same() -> None:
    made = page("Other", fields=0)
    made.scope("form", "Mail")
    assert live(made) == frozenset()


def test_an_annotated_scope_is_recognised_by_its_id() -> None:
    made = Page()
    made.scope("region", "Anything", scope_id="mail")
    assert live(made) == {"mail"}
