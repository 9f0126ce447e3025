"""What a session can do, by the platform behind it: no driver of Appium does everything."""

from __future__ import annotations

from typing import Any

from uiap.drivers.driver import DriverFacts
from uiap.drivers.touchscreen.driver import touchscreen_facts
from uiap.drivers.touchscreen.perform import OPS
from uiap.spec.versions import APPIUM_PROFILE

NOT_ON_IOS = frozenset({"dismiss", "focus", "select"})
"""There is no Back, no word on who has the focus, and no closed list that opens over the screen."""
ELEMENT_OPS = ("click", "setText", "typeText")
"""What every driver of Appium knows: no points, no fingers."""
ANDROID, IOS = "android", "ios"


def facts_for(platform: str) -> DriverFacts:
    ops: dict[str, tuple[str, ...]] = {ANDROID: OPS, IOS: tuple(op for op in OPS if op not in NOT_ON_IOS)}
    if platform not in ops:
        return touchscreen_facts(APPIUM_PROFILE, ELEMENT_OPS, surfaces=())
    return touchscreen_facts(APPIUM_PROFILE, ops[platform])


def platform_of(capabilities: dict[str, Any]) -> str:
    return str(capabilities.get("platformName", "")).lower()
