"""The facts of a session by its platform: no driver of Appium supports everything."""

from __future__ import annotations

from typing import Any

from uiap.drivers.driver import DriverFacts
from uiap.drivers.touchscreen.driver import touchscreen_facts
from uiap.drivers.touchscreen.perform import OPS
from uiap.spec.versions import APPIUM_PROFILE

NOT_ON_IOS = frozenset({"dismiss", "focus", "select"})
"""iOS has no Back button, does not report the focus, and has no drop-down lists over the screen."""
ELEMENT_OPS = ("click", "setText", "typeText")
"""The gestures of every Appium driver: on elements, without points and touches."""
ANDROID, IOS = "android", "ios"


def facts_for(platform: str) -> DriverFacts:
    ops: dict[str, tuple[str, ...]] = {ANDROID: OPS, IOS: tuple(op for op in OPS if op not in NOT_ON_IOS)}
    if platform not in ops:
        return touchscreen_facts(APPIUM_PROFILE, ELEMENT_OPS, surfaces=())
    return touchscreen_facts(APPIUM_PROFILE, ops[platform])


def platform_of(capabilities: dict[str, Any]) -> str:
    return str(capabilities.get("platformName", "")).lower()
