"""Keys of pages leave out data: numbers, values in brackets, the buttons of messages, and files are no pages."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp
from uiap.discovery.knowledge.page_keys import control_kinds, folded, is_page, panel_keys, template_keys
from uiap.graph.store import GraphStore


def page_of(*elements: Element, title: str = "") -> GraphStore:
    return GraphStore(SimulatedApp({"/": Page(elements, title=title)}).graph())


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("theme (dark)", "theme"),
        ("page 3", "page #"),
        ("17", "#"),
        ("inbox (12)", "inbox #"),
        ("(none)", "(none)"),
        ("edit", "edit"),
        ("export (as csv) now", "export (as csv) now"),
    ],
)
def test_a_folded_name_has_no_data(name: str, plain: str) -> None:
    assert folded(name) == plain


def test_pages_of_a_list_have_the_same_keys_and_numbered_tabs_do_not() -> None:
    one, other = (page_of(Element("button", name)) for name in ("Page 1", "Page 2"))
    assert panel_keys(one) == panel_keys(other)
    first, second = (page_of(Element("tab", name)) for name in ("Step 1", "Step 2"))
    assert panel_keys(first) != panel_keys(second)


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize("role", ["alert", "toast", "status"])
def test_the_button_of_a_message_belongs_to_the_message(role: str) -> None:
    graph = SimulatedApp(
        {"/": Page((Element("button", "Help"), Element(role, "Saved"), Element("button", "Dismiss")))}
    )
    before, shown, button = (one.instance_id for one in graph.graph().elements[1:])
    elements = [
        msgspec.structs.replace(one, parent_instance_id=shown, affordances=("read", "activate"))
        if one.instance_id == button
        else msgspec.structs.replace(one, affordances=("read",))
        if one.instance_id == shown
        else one
        for one in graph.graph().elements
    ]
    message = GraphStore(msgspec.structs.replace(graph.graph(), elements=tuple(elements)))
    plain = page_of(Element("button", "Help"))
    assert before in message.elements
    assert panel_keys(message) == panel_keys(plain)


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (Element("button", "Light"), Element("button", "Dark"), True),
        (Element("textbox", "Name"), Element("textbox", "Mail"), False),
        (Element("button", "Light"), Element("link", "Light", href="/"), False),
        (
            Element("tab", "A", state={"selected": True}),
            Element("tab", "A", state={"selected": False}),
            False,
        ),
    ],
)
def test_kinds_of_controls_have_the_names_of_fields_only(one: Element, other: Element, equal: bool) -> None:
    assert (control_kinds(page_of(one)) == control_kinds(page_of(other))) is equal


@pytest.mark.parametrize(
    ("one", "other", "equal"),
    [
        (Element("link", "Ada", href="/a"), Element("link", "Ben", href="/b"), True),
        (Element("button", "Close"), Element("button", "Open"), False),
        (
            Element("button", "Part one", state={"expanded": False}),
            Element("button", "Part two", state={"expanded": False}),
            True,
        ),
    ],
)
def test_a_template_names_buttons_but_not_links_and_sections(
    one: Element, other: Element, equal: bool
) -> None:
    assert (template_keys(page_of(one)) == template_keys(page_of(other))) is equal


@pytest.mark.parametrize(
    ("store", "expected"),
    [
        (page_of(), False),
        (page_of(title="Feeds"), True),
        (page_of(Element("custom", "")), False),
        (page_of(Element("button", "View")), True),
    ],
)
def test_a_document_without_title_and_controls_is_a_file(store: GraphStore, expected: bool) -> None:
    assert is_page(store) is expected


def test_an_application_inside_itself_counts_once_in_the_kinds_of_a_control() -> None:
    """A page that is read while it loads can have its application twice."""
    graph = SimulatedApp({"/": Page([Element("button", "View", scope="box")], (Scope("box"),))}).graph()
    inner = replace(graph.scopes[0], scope_id="d1s9", parent_scope_id="d1s1")
    box = replace(graph.scopes[1], parent_scope_id="d1s9")
    twice = replace(graph, scopes=(graph.scopes[0], inner, box))
    assert control_kinds(GraphStore(twice)) == control_kinds(GraphStore(graph))
