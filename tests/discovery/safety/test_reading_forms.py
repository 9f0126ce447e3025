"""A button of a form that only reads is judged like a link to the address of the form."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.safety.ordering_verbs import orders
from tests.discovery.simulated_app import BASE, Element, Page, Scope, SimulatedApp
from uiap.discovery.plan.address import AllowedOrigins
from uiap.discovery.safety.safety import Judgement, judge
from uiap.graph.store import GraphStore

SUBMITS: dict[str, Any] = {"affordances": ("read", "focus", "activate", "submit")}


def judged(
    label: str, facts: dict[str, str], *fields: Element, sends: str | None = None, **more: str
) -> Judgement:
    """Return the judgement of the button of a form with these facts."""
    metadata = {**more, **({"sends": sends} if sends else {})}
    button = Element("button", label, scope="edit", more={**SUBMITS, "metadata": metadata})
    form = Element("form", more={"metadata": facts})
    app = SimulatedApp({"/": Page((button, form, *fields), (Scope("edit", "form"),), title="Wiki")})
    graph = app.graph()
    scopes = tuple(
        msgspec.structs.replace(one, host_instance_id="d1e3") if one.kind == "form" else one
        for one in graph.scopes
    )
    store = GraphStore(msgspec.structs.replace(graph, scopes=scopes))
    return judge(store, store.elements["d1e2"], "ui.activate", AllowedOrigins.of(BASE))


READS = {"form": "get", "action": "/wiki/Home?action=edit"}


@pytest.mark.parametrize(
    ("label", "facts", "kind"),
    [
        ("Edit this page", READS, "navigation"),
        ("Attach file", {"form": "get", "action": "/attachment/wiki/Home?action=new"}, "navigation"),
        ("Create new report", {"form": "get", "action": "/report?action=new"}, "navigation"),
        ("View changes", {"form": "get", "action": "/wiki/Home?action=diff"}, "navigation"),
        ("Edit this page", {}, "data_write"),
        ("Delete page", {"form": "get", "action": "/wiki/Home?action=delete"}, "destructive"),
        ("Go", {"form": "get", "action": "/wiki/Home?action=delete"}, "destructive"),
        ("Show", {"form": "get", "action": "/tickets/24/take"}, "unknown"),
        ("Frobnicate", {"form": "get", "action": "/wiki/Home"}, "data_write"),
    ],
)
@pytest.mark.requirement("DISC-8.2")
def test_the_button_of_a_reading_form_is_a_link(label: str, facts: dict[str, str], kind: str) -> None:
    assert judged(label, facts).side_effect == kind


@pytest.mark.requirement("DISC-8.2")
def test_a_button_that_sends_its_form_in_another_way_is_no_link() -> None:
    assert judged("Edit this page", READS, method="formmethod").side_effect == "data_write"
    assert (
        judged("Show", {"form": "get", "action": "/wiki/Home"}, sends="action=purge").side_effect
        != "navigation"
    )


@pytest.mark.requirement("DISC-8.2")
def test_a_form_with_entries_is_not_sent_by_a_word_that_opens_forms() -> None:
    entry = Element("textbox", "Mail address", scope="edit")
    facts = {"form": "get", "action": "/profile"}
    assert judged("Update", facts, entry).side_effect == "data_write"
    assert judged("Show", facts, entry).side_effect == "navigation"


@pytest.mark.requirement("DISC-8.2", "DISC-13.1")
@pytest.mark.parametrize("action", ["/items/3", "/items/3/do", "/items"])
def test_no_ordering_button_of_a_reading_form_is_pressed(action: str) -> None:
    pressed = [
        label
        for label in orders()
        if judged(label, {"form": "get", "action": action}).side_effect in ("none", "navigation", "ui_state")
    ]
    assert pressed == []
