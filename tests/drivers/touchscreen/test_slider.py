"""Touch points on sliders."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from uiap.drivers.touchscreen.hierarchy import ScreenBounds
from uiap.drivers.touchscreen.slider import MAX_ATTEMPTS, SliderAttempt, next_fraction, point_at

# no deadline: the machine of the tests may be busy
RELAXED = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@RELAXED
@given(st.integers(0, 100), st.floats(0, 0.15), st.floats(0, 0.15), st.integers(0, 100))
def test_slider_reaches_any_value_with_any_padding(wanted: int, left: float, right: float, first: int):
    attempts: list[SliderAttempt] = []
    value = first
    while value != wanted and len(attempts) < MAX_ATTEMPTS:
        fraction = next_fraction(wanted, attempts, 0, 100)
        assert fraction is not None and 0 <= fraction <= 1
        value = round(100 * min(1.0, max(0.0, (fraction - left) / (1 - left - right))))
        attempts.append(SliderAttempt(fraction, value))
    assert abs(value - wanted) <= 1


def test_vertical_slider_increases_upwards():
    assert point_at(ScreenBounds(0, 0, 100, 1000), 0.0) == (50, 999)
    assert point_at(ScreenBounds(0, 0, 1000, 100), 0.0) == (0, 50)
