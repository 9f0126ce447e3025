"""Chromium over the DevTools Protocol: find or install it, launch or attach, and drive one isolated context."""

from uiap.drivers.chromium.browser.browser import ChromiumBrowser as ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions as ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver as ChromiumDriver
from uiap.drivers.chromium.page.world import WorldConfig as WorldConfig
from uiap.drivers.chromium.process.find import InstalledBrowser as InstalledBrowser
from uiap.drivers.chromium.process.find import find_browser as find_browser
from uiap.drivers.chromium.process.install import install_browser as install_browser
