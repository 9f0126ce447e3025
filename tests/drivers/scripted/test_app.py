"""A scripted application: widgets with ids, states and the requests of handlers."""

from __future__ import annotations

from uiap.drivers.scripted.app import App, ScriptedPage, ScriptedScope, Widget

NOW = "2026-01-01T00:00:00.000Z"


def app(*widgets: Widget, **page: object) -> App:
    return App("d1", ScriptedPage("http://notes.test/", widgets, **page))  # type: ignore[arg-type]


def test_a_widget_that_is_added_again_has_a_new_id() -> None:
    made = app(Widget("save", "button", "Save"))
    first = made.node_id("save")
    made.focus = "save"
    made.remove("save")
    assert made.focus is None and made.find(first) is None
    made.add(Widget("save", "button", "Save"))
    assert made.node_id("save") != first


def test_states_may_be_written_in_either_spelling() -> None:
    made = app(Widget("title", "textbox", "Title", state={"text_value": "a"}))
    made.set("title", textValue="b")
    (element,) = made.graph(1, NOW).elements
    assert element.state.text_value == "b"


def test_a_private_field_publishes_no_value() -> None:
    made = app(Widget("pin", "textbox", "Pin", state={"sensitive": True, "text_value": "1234"}))
    assert "1234" not in str(made.graph(1, NOW))


def test_an_open_modal_scope_is_on_the_stack() -> None:
    box = ScriptedScope("box", "dialog", "Delete?", modal=True)
    graph = app(Widget("ok", "button", "OK", scope="box"), scopes=[box]).graph(1, NOW)
    assert list(graph.modal_stack or ()) == [graph.scopes[0].scope_id]
    assert graph.elements[-1].scope_id == graph.scopes[0].scope_id


def test_requests_of_a_handler_are_kept_for_the_driver() -> None:
    made = app()
    made.request("/api", method="POST", status=201)
    made.navigate("http://notes.test/next")
    made.toast("Saved")
    assert len(made.requests) == 1 and made.destination == "http://notes.test/next" and len(made.signals) == 1
