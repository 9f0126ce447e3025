"""A Playwright page that the user already has, behind the driver protocol. Chromium only."""

from uiap.drivers.playwright.driver import PlaywrightDriver as PlaywrightDriver
