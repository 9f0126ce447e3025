"""Phones behind an Appium server: iOS, Android, and farms of devices. Needs the extra `[appium]`."""

from uiap.drivers.appium.driver import AppiumDriver as AppiumDriver
from uiap.drivers.appium.facts import facts_for as facts_for
