"""The meaning of fields and controls."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discovery.simulated_app import Element, Page, explore


@pytest.mark.requirement("DISC-11.4b")
@pytest.mark.parametrize(
    ("field", "meaning"),
    [
        (Element("textbox", "Title", more={"meaning": "video.title"}), "video.title"),
        (Element("textbox", "Your mail", more={"metadata": {"autocomplete": "section-a email"}}), "email"),
        (Element("textbox", "First name"), "first-name"),
        (Element("textbox", "", state={"placeholder": "Search term"}), "search-term"),
        (Element("textbox", "", more={"metadata": {"htmlName": "billing_city"}}), "billing-city"),
    ],
    ids=["annotation", "autocomplete", "label", "placeholder", "name"],
)
def test_a_field_gets_its_meaning_from_annotation_autocomplete_label_or_name(
    field: Element, meaning: Any
) -> None:
    package, _, _ = explore({"/": Page([field], title="Form")})
    (found,) = package.element_catalog.elements
    assert found.meanings == (meaning,)


def test_a_generated_name_is_no_meaning() -> None:
    package, _, _ = explore(
        {"/": Page([Element("textbox", "", more={"metadata": {"htmlName": "f:23:41"}})], title="Form")}
    )
    assert not package.element_catalog.elements[0].meanings
