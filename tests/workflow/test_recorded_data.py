"""Data of a recording in addresses, ids and bindings does not stay in the definition."""

from __future__ import annotations

import pytest
from msgspec import UNSET

from uiap.spec.authoring import AnnotationMatcher, ElementBinding, SemanticMatcher
from uiap.workflow.recorded_data import lasting_binding, lasting_route, parameter_in

VALUES = {"Rain in May 7": "title", "ann": "name", "no": "short"}


@pytest.mark.parametrize(
    ("pattern", "before", "path", "wrote", "lasting"),
    [
        ("/issue21", "/issue", "/issue21", False, "/issue*"),
        ("/v1/pages", "/v1", "/v1/pages", True, "/v1/pages"),
        ("/wizard/step2", "/wizard/step1", "/wizard/step2", True, "/wizard/step2"),
        ("/wiki/Rain_in_May_7", "/wiki", "/wiki/Rain_in_May_7", False, "/wiki/:title"),
        ("/wiki/Rain%20in%20May%207", "/wiki", "/wiki/Rain%20in%20May%207", False, "/wiki/:title"),
        ("/u/ann/edit", "/u", "/u/ann/edit", False, "/u/:name/edit"),
        ("/u/annex", "/u", "/u/annex", False, "/u/annex"),
        ("/no", "/", "/no", False, "/no"),
        ("/p/kQzPdYwT", "/new", "/p/kQzPdYwT", True, "/p/:id"),
        ("/p/kQzPdYwT", "/new", "/p/kQzPdYwT", False, "/p/kQzPdYwT"),
        ("/createNewItem", "/", "/createNewItem", True, "/createNewItem"),
        ("/buckets/:id", "/buckets", "#/buckets/ann", True, "/buckets/:id"),
    ],
)
def test_a_route_keeps_only_its_parts_that_are_no_data(
    pattern: str, before: str, path: str, wrote: bool, lasting: str
) -> None:
    assert lasting_route(pattern, before, path, VALUES, wrote=wrote) == lasting


def test_an_entered_value_is_found_in_an_id_as_whole_words_also_with_n_for_its_numbers() -> None:
    assert parameter_in("dialog.delete-rain-in-may-n", VALUES) == "title"
    assert parameter_in("row-ann", VALUES) == "name"
    assert parameter_in("planner", VALUES) == parameter_in("no-news", VALUES) == ""


def test_a_binding_loses_the_attributes_and_scopes_that_contain_an_entered_value() -> None:
    named = SemanticMatcher(role="button", name="Edit", scope_id="row.rain-in-may-n")
    data = AnnotationMatcher(attr="data-testid", value="edit-ann")
    own = AnnotationMatcher(attr="id", value="edit")
    binding = ElementBinding(id="edit", match=(data, own, named), scope_id="row.rain-in-may-n")
    found = lasting_binding(binding, VALUES)
    assert found.scope_id is UNSET
    assert found.match == (own, SemanticMatcher(role="button", name="Edit"))
    assert lasting_binding(found, VALUES) == found
