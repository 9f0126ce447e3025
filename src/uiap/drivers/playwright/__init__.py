"""Drive a Playwright page that the user already has. Chromium only."""

from uiap.drivers.playwright.driver import PlaywrightDriver as PlaywrightDriver
