"""Sample data for forms."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discovery.simulated_app import Element, Page, Scope, explore
from uiap.discovery.safety.sample import sample_input
from uiap.spec.web import ElementNode, WebElementState


def field(role: Any, name: str, **state: Any) -> ElementNode:
    return ElementNode(
        instance_id="e1",
        document_id="d",
        role=role,
        name=name,
        state=WebElementState(**state),
        affordances=(),
    )


@pytest.mark.parametrize(
    ("element", "action", "value"),
    [
        (field("textbox", "E-Mail"), "ui.enterText", "discovery@example.test"),
        (field("textbox", "Title"), "ui.enterText", "Discovery sample"),
        (field("datepicker", "Release"), "ui.setValue", "2026-01-15"),
        (field("timepicker", "At"), "ui.setValue", "09:30"),
        (field("spinbutton", "Length", min=5, max=60, step=5), "ui.setValue", 10),
        (field("slider", "Volume", min=0, max=0), "ui.setValue", 0),
    ],
)
@pytest.mark.requirement("DISC-8.3")
def test_fields_are_filled_with_values_of_their_type(element: ElementNode, action: str, value: Any) -> None:
    found, args = sample_input(element)
    assert (found, *args.values()) == (action, value)


@pytest.mark.requirement("DISC-8.3", "DISC-11.5a")
def test_a_sandbox_fills_a_form_before_it_submits_it() -> None:
    submit = {"affordances": ("read", "focus", "activate", "submit")}
    page = Page(
        [
            Element("link", "Help", href="/help"),
            Element("textbox", "Title", scope="f"),
            Element("button", "Create", leads_to="/done", toast="Created 17", scope="f", more=submit),
        ],
        (Scope("f", "form", "New"),),
    )
    pages = {"/": page, "/help": Page(title="Help"), "/done": Page(title="Done")}
    package, app, _ = explore(pages, "sandbox_write")
    assert app.pressed == ["Help", "Title", "Create"]
    created = next(one for one in package.transition_graph.edges if one.metadata["label"] == "Create")
    assert [one.kind for one in created.observed_signals or ()] == ["route.changed", "toast.contains"]
    _, safe, _ = explore(pages)
    assert safe.pressed == ["Help"]
