"""Ids of elements: short, and never used twice in one browser.

The page script writes them (web/sdk/src/graph/identity.ts). Element 53 of document `d1` is `e53`, of document `d3` it
is `e2053`. An element after the 999th of its document, or of a document after `d1000`, gets a number of seven digits or
more. So the id of an element of an earlier document never means another element.
"""

from __future__ import annotations

SHORT_ELEMENTS = 1_000
"""Short ids per document."""
LONG_FROM = 1_000_000
"""The first long id: the number of the document times this, plus the number of the element."""


def element_id(document: int, element: int) -> str:
    """Return the id of an element by the numbers of its document and of itself."""
    if document < 1 or element >= LONG_FROM:
        return f"d{document}e{element}"
    if element < SHORT_ELEMENTS and document * SHORT_ELEMENTS <= LONG_FROM:
        return f"e{(document - 1) * SHORT_ELEMENTS + element}"
    return f"e{document * LONG_FROM + element}"


def document_key(instance_id: str) -> str:
    """Return the document of an element: `d3` for `e2053`; "" if this is no id of an element."""
    if not instance_id.startswith("e"):
        return instance_id.partition("e")[0]
    digits = instance_id[1:]
    if not (digits.isascii() and digits.isdigit()):
        return ""
    number = int(digits)
    return f"d{number // LONG_FROM if number >= LONG_FROM else number // SHORT_ELEMENTS + 1}"
