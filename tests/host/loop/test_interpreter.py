"""The interpreter settings of a serving process."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator

import pytest

from uiap.host.loop.interpreter import SWITCH_S, YOUNG, tune_for_serving


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    thresholds, interval = gc.get_threshold(), sys.getswitchinterval()
    yield
    gc.unfreeze()
    gc.set_threshold(*thresholds)
    sys.setswitchinterval(interval)


def test_loaded_objects_are_frozen_for_the_collector() -> None:
    tune_for_serving()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold()[0] == YOUNG


def test_the_thread_switch_interval_is_short() -> None:
    tune_for_serving()
    assert sys.getswitchinterval() == pytest.approx(SWITCH_S)
