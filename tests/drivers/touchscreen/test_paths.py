from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uiap.drivers.touchscreen.hierarchy import ScreenBounds
from uiap.drivers.touchscreen.paths import pinch_paths


@pytest.mark.requirement("MDM-R9")
@given(
    st.integers(20, 3000),
    st.integers(20, 3000),
    st.floats(0.05, 20).filter(lambda scale: abs(scale - 1) > 0.05),
)
def test_pinch_stays_on_the_target_and_moves_in_the_right_direction(width: int, height: int, scale: float):
    box = ScreenBounds(10, 10, 10 + width, 10 + height)
    one, other = pinch_paths(box, scale)
    assert all(box.contains(*point) for point in (*one, *other))
    first, last = _apart(one[0], other[0]), _apart(one[1], other[1])
    assert (last >= first) if scale > 1 else (last <= first)


def test_pinch_reaches_the_scale_if_there_is_room():
    one, other = pinch_paths(ScreenBounds(0, 0, 1000, 400), 2)
    assert (_apart(one[0], other[0]), _apart(one[1], other[1])) == (400, 800)


def _apart(one: tuple[int, int], other: tuple[int, int]) -> int:
    return abs(one[0] - other[0]) + abs(one[1] - other[1])
