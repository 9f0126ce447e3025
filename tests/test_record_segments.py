"""Numbers, ids and slugs name records; words and numbered views do not."""

from __future__ import annotations

import pytest

from uiap.record_segments import is_record_segment


@pytest.mark.parametrize(
    ("segment", "is_record"),
    [
        ("17", True),
        ("2024-05-12", True),
        ("order-17", True),
        ("3f2504e0-4f89-11d3-9a0c-0305e82c3301", True),
        ("users", False),
        ("step-2", False),
        ("v2", False),
        ("", False),
    ],
)
def test_a_segment_names_a_record(segment: str, is_record: bool) -> None:
    assert is_record_segment(segment) is is_record
