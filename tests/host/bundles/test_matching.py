"""A bundle made from a discovered page finds each element after a redesign, or refuses. It never takes another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.graph.pages import Page
from uiap.authoring.from_discovery.items import to_manifest_item
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.knowledge.transitions import RunLog
from uiap.discovery.package.catalog import Catalog
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.host.bundles.matching import ElementMatching
from uiap.host.bundles.routes import Routes
from uiap.runtime.resolve import Resolved, gather, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import ElementBinding, UIAPCompiledBundle
from uiap.spec.capability import StableIdRef

Control = tuple[str, str | None, dict[str, str]]
Drift = Callable[["Site"], None]


class Site:
    """A page with a menu and two forms. Each control has a mark that tells a test which one it is."""

    def __init__(self) -> None:
        self.scopes: dict[str, tuple[str, str | None, str | None]] = {
            "menu": ("region", "Menu", None),
            "profile": ("form", "Profile", None),
            "mail": ("form", "Mail", None),
        }
        self.controls: dict[str, tuple[str, Control]] = {
            "nav.videos": ("menu", ("link", "Videos", {"href": "/videos"})),
            "nav.team": ("menu", ("link", "Team", {"href": "/team"})),
            "profile.name": ("profile", ("textbox", "Name", {"htmlName": "name", "htmlId": "profile-name"})),
            "profile.city": ("profile", ("textbox", "City", {"htmlName": "city"})),
            "profile.save": ("profile", ("button", "Save", {})),
            "profile.icon": ("profile", ("button", None, {"testId": "avatar"})),
            "mail.address": ("mail", ("textbox", "Address", {"htmlName": "address"})),
            "mail.name": ("mail", ("textbox", "Name", {"htmlName": "name", "htmlId": "mail-name"})),
            "mail.save": ("mail", ("button", "Save", {})),
        }

    def change(self, mark: str, **members: Any) -> None:
        scope, (role, name, facts) = self.controls[mark]
        control = (members.get("role", role), members.get("name", name), members.get("facts", facts))
        self.controls[mark] = (members.get("scope", scope), control)

    def store(self) -> GraphStore:
        page = Page("/settings", "Settings")
        live: dict[str, str] = {}
        for key, (kind, name, parent) in self.scopes.items():
            live[key] = page.scope(kind, name, parent=live[parent] if parent else None)
        for mark, (scope, (role, name, facts)) in self.controls.items():
            page.element(role, name, scope_id=live[scope], description=mark, metadata=facts or UNSET)
        return GraphStore(page.graph())


def bindings_of(store: GraphStore) -> tuple[Bindings, dict[str, str]]:
    """Return the bindings of a bundle made from the findings of one page, and the id of each mark."""
    findings = Findings()
    findings.add_state(store, "s1", "ann", "shape")
    catalog = Catalog(findings, (), RunLog())
    sections = {
        "routes": [to_manifest_item("route", msgspec.to_builtins(one)) for one in catalog.routes()],
        "scopes": [to_manifest_item("scope", msgspec.to_builtins(one)) for one in catalog.scopes()],
        "elements": [to_manifest_item("element", msgspec.to_builtins(one)) for one in catalog.elements()],
    }
    return _compiled(sections), {
        one.metadata["descriptions"][0]: one.semantic_key for one in catalog.elements() if one.metadata
    }


def _compiled(bindings: dict[str, Any]) -> Bindings:
    members = {
        "packageId": "p",
        "version": "1.0.0",
        "profile": "web@0.1",
        "buildContext": {},
        "compatibility": {"uiapCore": ">=0.1"},
        "app": {"appId": "a", "displayName": "A"},
        "bindings": bindings,
    }
    return Bindings(msgspec.convert(members, UIAPCompiledBundle))


def resolved(bindings: Bindings, store: GraphStore, id: str) -> tuple[str, float] | None:
    """Return the mark of the element that an id resolves to and the confidence; None for a refusal."""
    target = ActionTarget(ref=StableIdRef(value=id))
    found = resolve(target, bindings.bind(store, target, gather(store, target)), "ui.activate")
    if not isinstance(found, Resolved):
        return None
    return str(found.winner.candidate.element.description), found.confidence


BINDINGS, IDS = bindings_of(Site().store())


@pytest.mark.requirement("RUN-37")
def test_every_element_of_the_page_is_found_again() -> None:
    store = Site().store()
    assert {mark: resolved(BINDINGS, store, id) for mark, id in IDS.items()} == {
        mark: (mark, 0.7 if mark == "profile.icon" else 1.0) for mark in Site().controls
    }


def _rename_label(site: Site) -> None:
    site.change("profile.name", name="How are you called?")


def _move_field(site: Site) -> None:
    site.change("profile.name", scope="mail")


def _wrap_form(site: Site) -> None:
    site.scopes["wrapper"] = ("group", None, "profile")
    for mark in ("profile.name", "profile.city", "profile.save", "profile.icon"):
        site.change(mark, scope="wrapper")


def _add_ancestor(site: Site) -> None:
    site.scopes = {"main": ("region", "Content", None)} | {
        key: (kind, name, "main") for key, (kind, name, _) in site.scopes.items()
    }


def _change_id(site: Site) -> None:
    site.change("profile.name", facts={"htmlName": "full", "htmlId": "other"})


def _reorder(site: Site) -> None:
    site.controls = dict(reversed(site.controls.items()))


def _translate(site: Site) -> None:
    words = {"Name": "Nom", "City": "Ville", "Save": "Enregistrer", "Videos": "Vidéos", "Address": "Adresse"}
    site.scopes = {key: (kind, f"FR {name}", parent) for key, (kind, name, parent) in site.scopes.items()}
    for mark, (_, (_, name, _)) in list(site.controls.items()):
        site.change(mark, name=words.get(name or "", name))


def _add_twin(site: Site) -> None:
    site.controls["new.save"] = ("profile", ("button", "Save", {}))
    site.controls["new.name"] = ("profile", ("textbox", "Name", {"htmlId": "nickname"}))


def _change_role(site: Site) -> None:
    site.change("profile.name", role="combobox")
    site.change("profile.save", role="link")


def _remove(site: Site) -> None:
    for mark in ("profile.save", "profile.name", "nav.videos", "profile.icon"):
        del site.controls[mark]


# per drift: the elements that must still be found, with the confidence; all others may be found or refused
DRIFTS: list[tuple[Drift, dict[str, float]]] = [
    (_rename_label, {"profile.name": 0.7, "mail.name": 1.0, "profile.save": 1.0}),
    (_move_field, {"profile.name": 1.0, "mail.name": 1.0}),
    (_wrap_form, dict.fromkeys(("profile.name", "profile.city", "profile.save"), 1.0)),
    (_add_ancestor, dict.fromkeys(("nav.team", "profile.name", "profile.city", "profile.save"), 1.0)),
    (_change_id, {"profile.name": 1.0}),
    (_reorder, dict.fromkeys(("nav.videos", "nav.team", "profile.name", "profile.save"), 1.0)),
    (_translate, {"profile.name": 0.7, "mail.name": 0.7, "profile.icon": 0.7}),
    (_add_twin, {"profile.name": 1.0, "mail.save": 1.0}),
    (_change_role, {"profile.name": 1.0, "mail.save": 1.0}),
    (_remove, {"mail.save": 1.0, "mail.name": 1.0, "nav.team": 1.0}),
]


@pytest.mark.requirement("AUTH-5.3", "ACT-8.1", "ACT-8.3")
@pytest.mark.parametrize(("drift", "found"), DRIFTS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_redesign_leads_to_the_same_element_or_to_a_refusal(drift: Drift, found: dict[str, float]) -> None:
    site = Site()
    drift(site)
    store = site.store()
    answers = {mark: resolved(BINDINGS, store, id) for mark, id in IDS.items()}
    wrong = {mark: answer for mark, answer in answers.items() if answer is not None and answer[0] != mark}
    assert not wrong
    assert {mark: (answers[mark] or ("", 0))[1] for mark in found} == found


def test_an_id_that_moved_to_another_element_than_the_label_is_ambiguous() -> None:
    site = Site()
    site.change("profile.name", facts={})
    site.change("profile.city", facts={"htmlId": "profile-name", "htmlName": "name"})
    assert resolved(BINDINGS, site.store(), IDS["profile.name"]) is None


def test_the_labels_of_two_forms_that_exchange_their_buttons_are_not_followed_outside_the_form() -> None:
    site = Site()
    del site.scopes["profile"]
    site.controls = {mark: one for mark, one in site.controls.items() if one[0] != "profile"}
    assert resolved(BINDINGS, site.store(), IDS["profile.save"]) is None


def test_a_simple_css_selector_finds_its_element() -> None:
    binding = {
        "id": "x",
        "role": "textbox",
        "match": [{"by": "runtimeHint", "css": "#mail-name"}],
    }
    assert resolved(_compiled({"elements": [binding]}), Site().store(), "x") == ("mail.name", 0.7)


@pytest.mark.requirement("RUN-15")
@pytest.mark.parametrize("matcher", [{"by": "label", "text": "Note"}, {"by": "semantic", "name": "Note"}])
def test_a_text_finds_its_element_without_a_role(matcher: dict[str, str]) -> None:
    binding = msgspec.convert({"id": "order.note", "match": [matcher]}, ElementBinding)
    made = Page("/orders")
    made.element("textbox", "Note")
    made.element("button", "Send")
    store = GraphStore(made.graph())
    matching = ElementMatching((binding,), (), Routes(()), "data-uiap-id")
    (found,) = matching.find(store, binding)
    assert found.element.name == "Note"
    assert [one.id for one, _ in matching.recognise(store, found.element)] == ["order.note"]


@pytest.mark.requirement("AUTH-5.3c")
@pytest.mark.parametrize(
    ("better", "by"),
    [
        ({"by": "semantic", "role": "textbox", "name": "City"}, "semantic"),
        ({"by": "annotation", "attr": "name", "value": "city"}, "annotation"),
    ],
)
def test_annotation_and_semantic_matchers_come_before_a_css_hint(better: dict[str, str], by: str) -> None:
    hint = {"by": "runtimeHint", "css": "#mail-name"}
    given = {"id": "city", "role": "textbox", "match": [hint, better]}
    binding = msgspec.convert(given, ElementBinding)
    found = ElementMatching([binding], (), Routes(()), "data-uiap-id").find(Site().store(), binding)
    assert [(one.element.description, one.by) for one in found] == [("profile.city", by)]
    alone = msgspec.convert({**given, "match": [hint]}, ElementBinding)
    last = ElementMatching([alone], (), Routes(()), "data-uiap-id").find(Site().store(), alone)
    assert [one.element.description for one in last] == ["mail.name"], "it is the last resort"


def test_an_element_with_exactly_the_text_of_a_binding_is_not_compared_with_other_numbers() -> None:
    bindings = tuple(
        msgspec.convert({"id": id, "role": "link", "match": [{"by": "label", "text": text}]}, ElementBinding)
        for id, text in (("twenty", "Held (20)"), ("eighteen", "Held (18)"))
    )
    made = Page("/orders")
    for name in ("Held (20)", "Held (7)"):
        made.element("link", name)
    store = GraphStore(made.graph())
    matching = ElementMatching(bindings, (), Routes(()), "data-uiap-id")
    found = [[binding.id for binding, _ in matching.recognise(store, one)] for one in store.by_role("link")]
    assert found == [["twenty"], ["twenty", "eighteen"]]
