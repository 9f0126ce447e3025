"""`uiap.attach`: start a session with a page or browser that the caller already has open.

The page and the browser stay open when the session ends.
"""

from __future__ import annotations

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from uiap import settings
from uiap.api.open_session import SessionOpener, bundle_for, is_endpoint, running_chromium, start_session
from uiap.api.ui import Ui
from uiap.drivers.driver import Driver
from uiap.errors import UiapError, Unavailable
from uiap.host.bundles.bundle import Bundle, Trust
from uiap.host.bundles.session_terms import running_context
from uiap.host.consent.policy_file import GivenRules, rules_for
from uiap.policy.autonomy import Autonomy

if TYPE_CHECKING:
    from playwright.async_api import Page

EXPECTED = "attach takes an async Playwright page, or the address of a running browser (http:// or ws://)"


def attach(
    page: Page | str,
    *,
    autonomy: Autonomy | None = None,
    rules: GivenRules | None = None,
    principal: str = "python",
    downloads: str | Path | None = None,
    bundle: str | Path | Bundle | None = None,
    trust: Trust | None = None,
    allow_older: bool = False,
    profile: str | None = None,
    tenant: str | None = None,
    environment: str | None = None,
    locale: str | None = None,
    app_version: str | None = None,
) -> SessionOpener:
    """Act on an async Playwright page (Chromium) with its popups, or on the tabs of a running browser.

    Attaching does not navigate, resize or close anything; the page stays open after the session ends.

    Args:
        page: The Playwright page, or the address of a running browser (`http://127.0.0.1:9222`).
        autonomy: As in `uiap.open`.
        rules: As in `uiap.open`.
        principal: As in `uiap.open`.
        downloads: A folder for copies of the downloads; Playwright keeps its own.
        bundle: The application's compiled bundle.
        trust: The public key that must have signed the bundle.
        allow_older: Accept a bundle that is older than the one used before.
        profile: As in `uiap.open`, like the four below.
        tenant: The tenant of the application.
        environment: The environment of the application.
        locale: The locale of the application.
        app_version: The version of the application.
    """

    async def make() -> Ui:
        async with AsyncExitStack() as stack:
            running = running_context(
                profile=profile,
                tenant=tenant,
                environment=environment,
                locale=locale,
                app_version=app_version,
            )
            url = "" if isinstance(page, str) else page.url
            verified = bundle_for(url, bundle, trust, allow_older, running)
            driver = await _driver(stack, page, downloads)
            given = rules_for(autonomy, rules, ceiling=settings.read().autonomy, default="trusted")
            ui = await start_session(stack, driver, rules=given, principal=principal, bundle=verified)
            ui._stack = stack.pop_all()
            return ui

    if isinstance(page, str) and (bundle is not None or downloads is not None):
        raise UiapError(
            "`bundle` and `downloads` are not for a running browser; use uiap.open(url, browser=…)"
        )
    _check_page(page)
    return SessionOpener(make, page if isinstance(page, str) else "the page")


async def _driver(stack: AsyncExitStack, page: Page | str, downloads: str | Path | None) -> Driver:
    if isinstance(page, str):
        return await running_chromium(stack, page)
    from uiap.drivers.playwright import PlaywrightDriver

    return PlaywrightDriver(page, downloads=None if downloads is None else Path(downloads))


def _check_page(page: object) -> None:
    """Raise if `page` cannot be attached to."""
    if isinstance(page, str):
        if not is_endpoint(page):
            raise UiapError(f"`{page}` is not a running browser; {EXPECTED}")
        return
    try:
        from playwright import async_api, sync_api
    except ImportError:
        raise Unavailable("attaching needs the extra: pip install 'uiap[playwright]'") from None
    if isinstance(page, sync_api.Page):
        raise UiapError(f"this page belongs to Playwright's sync API; {EXPECTED}")
    if not isinstance(page, async_api.Page):
        raise UiapError(f"`{type(page).__name__}` cannot be attached to; {EXPECTED}")
