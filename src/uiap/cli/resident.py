"""The process behind `uiap open`: start a browser or application, serve the session, exit when it is idle."""

from __future__ import annotations

import argparse
import asyncio
import logging
from contextlib import AsyncExitStack
from pathlib import Path

from uiap import settings
from uiap.api.open_session import bundle_for, check_address, check_url
from uiap.cli.output import read_context
from uiap.drivers.address import is_application, open_application
from uiap.drivers.chromium.browser.browser import ChromiumBrowser
from uiap.drivers.chromium.browser.context import ContextOptions
from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.driver import Driver, PerformRefused
from uiap.errors import UiapError, Unavailable
from uiap.host.consent.policy_file import rules_for
from uiap.host.handlers.session_files import read_state, write_state
from uiap.host.loop.allocator import mmap_large_blocks
from uiap.host.privacy.secrets import Secrets
from uiap.host.sessions.resident import IDLE_S, Resident
from uiap.host.sessions.session_folder import SessionFolder
from uiap.origin import split_user_info


def main() -> int:
    parser = argparse.ArgumentParser(prog="uiap-resident")
    parser.add_argument("--name", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--headed", action="store_true")
    parser.add_argument("--autonomy")
    parser.add_argument("--policy")
    parser.add_argument("--idle", type=float, default=IDLE_S)
    parser.add_argument("--bundle")
    parser.add_argument("--trust", action="append")
    parser.add_argument("--allow-older", action="store_true")
    parser.add_argument("--context", action="append", default=[])
    parser.add_argument("--state", type=Path)
    parser.add_argument("--save-state", type=Path)
    parser.add_argument("--uploads", type=Path, action="append", default=[])
    parser.add_argument("--downloads", type=Path)
    parser.add_argument("--states", type=Path)
    options = parser.parse_args()
    mmap_large_blocks()
    config = settings.read()
    folder = SessionFolder(config.runtime, options.name)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(message)s")
    try:
        asyncio.run(_serve(folder, options, config))
    except UiapError as error:
        print(f"uiap: {error.message}", flush=True)
        return 1
    return 0


async def _serve(folder: SessionFolder, options: argparse.Namespace, config: settings.Settings) -> None:
    running = read_context(options.context)
    bundle = bundle_for(
        check_address(options.url), options.bundle, options.trust, options.allow_older, running
    )
    secrets = Secrets(config.environ)
    async with AsyncExitStack() as stack:
        driver = await _driver(stack, options, config, secrets)
        resident = Resident(
            folder,
            driver,
            rules=rules_for(options.autonomy, options.policy, ceiling=None, default="assist"),
            store_url=_store_url(config),
            idle_s=options.idle,
            bundle=bundle,
            secrets=secrets,
            states=options.states,
        )
        try:
            await resident.services.start()
            if options.state is not None:
                await driver.storage.load(read_state(options.state))
            if not is_application(options.url):
                address, _ = split_user_info(check_url(options.url))
                arrived = await driver.navigate(address)
                if isinstance(arrived, PerformRefused):
                    raise Unavailable(f"`{address}` cannot be opened: {arrived.detail or arrived.reason}")
            await resident.services.page.wait_for_graph()
            await resident.serve()
            print("ready", flush=True)
            await resident.run_until_idle()
            if options.save_state is not None:
                write_state(options.save_state, await driver.storage.save())
        finally:
            await resident.close()


async def _driver(
    stack: AsyncExitStack, options: argparse.Namespace, config: settings.Settings, secrets: Secrets
) -> Driver:
    if is_application(options.url):
        driver = await open_application(options.url, environ=config.environ, secrets=secrets.reveal)
        stack.push_async_callback(driver.close)
        return driver
    browser = await ChromiumBrowser.launch(
        environ=config.environ, headless=not options.headed, sign_in=split_user_info(options.url)[1]
    )
    stack.push_async_callback(browser.close)
    files = ContextOptions(uploads=tuple(options.uploads), downloads=options.downloads)
    return ChromiumDriver(browser, files, secrets=secrets.reveal)


def _store_url(config: settings.Settings) -> str:
    Path(config.data).mkdir(mode=0o700, parents=True, exist_ok=True)
    return config.store_url


if __name__ == "__main__":
    raise SystemExit(main())
