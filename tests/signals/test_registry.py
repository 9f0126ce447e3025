"""Each kind of signal has one family, and custom signals of ours have their own."""

from __future__ import annotations

import pytest

from uiap.signals.registry import CUSTOM_FAMILIES, SIGNAL_FAMILIES, family_of, signal_name
from uiap.spec.capability import CustomSuccess, ToastContains


@pytest.mark.parametrize("name", CUSTOM_FAMILIES)
def test_a_custom_signal_of_ours_has_its_own_family(name: str) -> None:
    signal = CustomSuccess(name=name)
    assert signal_name(signal) == name and family_of(signal) is CUSTOM_FAMILIES[name]


def test_every_other_signal_has_the_family_of_its_kind() -> None:
    assert family_of(CustomSuccess(name="saved")) is SIGNAL_FAMILIES["custom"]
    assert family_of(ToastContains(text="x")) is SIGNAL_FAMILIES["toast.contains"]
    assert signal_name(CustomSuccess(name="saved")) == "custom"
