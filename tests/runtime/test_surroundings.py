"""The surroundings of a target: the form it is in, the fields with their values, the buttons that submit it."""

from __future__ import annotations

from typing import Any

import msgspec

from uiap.graph.store import GraphStore
from uiap.runtime.surroundings import PRIVATE, full_surroundings
from uiap.spec.web import DocumentNode, ElementNode, PageGraph, RouteInfo, ScopeNode, WebElementState


def element(
    id: str, role: str, name: str, *affordances: str, scope: str | None = "f", **state: Any
) -> ElementNode:
    return ElementNode(
        instance_id=id,
        document_id="d",
        role=role,  # type: ignore[arg-type]
        name=name,
        state=WebElementState(**state),
        affordances=affordances,  # type: ignore[arg-type]
        **({} if scope is None else {"scope_id": scope}),
    )


def store(*elements: ElementNode, kind: str = "form") -> GraphStore:
    graph = PageGraph(
        model_version="0.1",
        profile="web@0.1",
        revision="r1",
        seq=1,
        captured_at="2026-03-26T14:00:00.000Z",
        route=RouteInfo(url="https://app.example/"),
        documents=(DocumentNode(document_id="d", kind="root", access="full", origin="https://app.example"),),
        scopes=(ScopeNode(scope_id="f", kind=kind, document_id="d", name="Transfer"),),  # type: ignore[arg-type]
        elements=elements,
    )
    return GraphStore(graph)


SEND = element("b", "button", "Send", "activate", "submit")
AMOUNT = element("a", "textbox", "Amount", "edit", text_value="20")
PIN = element("p", "textbox", "PIN", "edit", sensitive=True)


def test_the_fields_of_the_form_are_listed_and_private_values_masked() -> None:
    around = full_surroundings(store(SEND, AMOUNT, PIN), SEND)
    assert around.fields == (("Amount", "20"), ("PIN", PRIVATE))
    assert (around.in_form, around.in_surface, around.submit_label, around.surface) == (
        True,
        False,
        "Send",
        "Transfer",
    )


def test_a_dialog_is_a_surface_and_its_fields_count_too() -> None:
    around = full_surroundings(store(SEND, AMOUNT, kind="dialog"), SEND)
    assert around.in_surface and not around.in_form
    assert around.fields == (("Amount", "20"),)


def test_the_page_shows_a_panel_only_next_to_a_tab() -> None:
    tab, panel = element("t", "tab", "One", scope=None), element("q", "tabpanel", "One", scope=None)
    assert full_surroundings(store(tab, panel), tab).shows_panel
    assert not full_surroundings(store(tab), tab).shows_panel
    assert not full_surroundings(store(SEND, panel), SEND).shows_panel


def reading_form(action: str, **button: Any) -> bool:
    """Return whether a form with this address, and a button with these facts, only reads."""
    form = msgspec.structs.replace(
        element("form", "form", "Find", scope=None), metadata={"form": "get", "action": action}
    )
    find = msgspec.structs.replace(element("b", "button", "Find", "activate", "submit"), metadata=button)
    known = store(form, find)
    scope = msgspec.structs.replace(known.scopes["f"], host_instance_id="form")
    graph = msgspec.structs.replace(known.snapshot(), scopes=(scope,))
    linked = msgspec.structs.replace(find, parent_instance_id="form")
    graph = msgspec.structs.replace(graph, elements=(form, linked))
    return full_surroundings(GraphStore(graph), linked).reading_form


def test_a_form_reads_only_if_neither_its_address_nor_its_button_orders_something() -> None:
    assert reading_form("/find")
    assert not reading_form("/items/3/delete")
    assert not reading_form("/items?action=archive")
    assert not reading_form("/find", method="formaction")
    assert not reading_form("/find", sends="op=drop")
    assert reading_form("/find", sends="go=1")


def with_facts(node: ElementNode, **facts: Any) -> ElementNode:
    return msgspec.structs.replace(node, metadata=facts)


def test_a_control_outside_of_its_form_is_judged_with_the_form() -> None:
    form = with_facts(element("form", "form", "Transfer", scope=None), formId="t")
    inside = msgspec.structs.replace(PIN, parent_instance_id="form")
    button = with_facts(element("out", "button", "Next", "activate", "submit", scope=None), owner="t")
    around = full_surroundings(store(form, inside, button), button)
    assert (around.in_form, around.guarded_field, around.submit_label) == (True, True, "Next")
    assert around.fields == (("PIN", PRIVATE),)


def test_a_field_outside_of_its_form_counts_for_a_button_inside() -> None:
    form = with_facts(element("form", "form", "Transfer"), formId="t")
    button = msgspec.structs.replace(SEND, parent_instance_id="form", scope_id="f")
    outside = with_facts(element("out", "textbox", "Password", "edit", scope=None, sensitive=True), owner="t")
    graph = store(form, button, outside)
    (scope,) = graph.snapshot().scopes
    hosted = msgspec.structs.replace(scope, host_instance_id="form")
    around = full_surroundings(
        GraphStore(msgspec.structs.replace(graph.snapshot(), scopes=(hosted,))), button
    )
    assert around.guarded_field and ("Password", PRIVATE) in around.fields


def test_a_hidden_form_reads_only_if_its_control_says_so() -> None:
    for facts, reads in (({"owner": "t"}, False), ({"owner": "t", "ownerForm": "get"}, True)):
        button = with_facts(element("out", "button", "Go", "activate", "submit", scope=None), **facts)
        around = full_surroundings(store(button), button)
        assert (around.in_form, around.reading_form) == (True, reads)
