"""Ids of scopes that are named after a record."""

from __future__ import annotations

from tests.graph.pages import Page
from uiap.discovery.knowledge.findings import Findings
from uiap.discovery.package.scopes import scopes_without_data
from uiap.graph.store import GraphStore


def findings(*pages: tuple[str, str, str]) -> Findings:
    """Return the findings of pages, each with its path, its title and the name of its outer scope."""
    made = Findings()
    for number, (path, title, name) in enumerate(pages):
        page = Page(path, title)
        outer = page.scope("group", name)
        page.scope("form", "Edit title", parent=outer)
        made.add_state(GraphStore(page.graph()), f"s{number}", "ann", str(number))
    return made


def test_the_title_of_a_record_is_left_out_also_for_the_scopes_inside() -> None:
    found = findings(("/videos/1", "Video", "Blue lamp"), ("/videos/2", "Video", "Red lamp"))
    assert scopes_without_data(found) == {
        "group.blue-lamp": "group.record",
        "group.red-lamp": "group.record",
        "group.blue-lamp/form.edit-title": "group.record/form.edit-title",
        "group.red-lamp/form.edit-title": "group.record/form.edit-title",
    }


def test_one_record_is_recognised_by_the_title_of_its_page() -> None:
    found = findings(("/videos/1", "Blue lamp – Videoland", "Blue lamp"))
    assert scopes_without_data(found)["group.blue-lamp"] == "group.record"


def test_names_on_a_page_without_parameters_stay() -> None:
    assert scopes_without_data(findings(("/a", "Blue lamp", "Blue lamp"), ("/b", "B", "Red lamp"))) == {}
