"""Ids of elements: short, unique in a browser, and their document can be read from them."""

from __future__ import annotations

import itertools

import pytest

from uiap.drivers.chromium.page.element_ids import document_key, element_id


@pytest.mark.parametrize(
    ("document", "element", "id"),
    [(1, 53, "e53"), (3, 53, "e2053"), (1, 1_000, "e1001000"), (1_001, 1, "e1001000001"), (0, 5, "d0e5")],
)
def test_an_id_is_short_for_the_first_elements_of_a_document(document: int, element: int, id: str) -> None:
    assert element_id(document, element) == id
    assert document_key(id) == f"d{document}"


def test_no_two_documents_share_an_id() -> None:
    numbers = [1, 2, 53, 998, 999, 1_000, 1_001, 2_000, 20_000, 999_999]
    pairs = list(itertools.product([0, 1, 2, 3, 999, 1_000, 1_001, 1_002, 5_000], numbers))
    ids = [element_id(*pair) for pair in pairs]
    assert len(set(ids)) == len(pairs)
    assert [document_key(id) for id in ids] == [f"d{document}" for document, _ in pairs]


@pytest.mark.parametrize("text", ["e", "e5x", "e-5", "e٣", "exit", ""])
def test_other_words_belong_to_no_document(text: str) -> None:
    assert document_key(text) == ""
