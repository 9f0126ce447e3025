"""Files of a Playwright page: choosers as ever; downloads as Playwright keeps them, copied if a folder was named."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from uiap.drivers.chromium.browser.files import ChromiumFiles, place
from uiap.drivers.errors import PathRefused
from uiap.drivers.events import Downloaded
from uiap.drivers.playwright.context import PlaywrightContext
from uiap.ids import new_secret

if TYPE_CHECKING:
    from playwright.async_api import Download

KEPT = "Playwright keeps it; name a folder to have a copy"


class PlaywrightFiles(ChromiumFiles):
    """How the browser downloads is Playwright's matter; we hear of it from Playwright."""

    def __init__(self, context: PlaywrightContext) -> None:
        super().__init__(context)
        self._shared = context

    async def start(self) -> None:
        if self.downloads is not None:
            self.downloads.mkdir(parents=True, exist_ok=True)
        self._shared.downloaded = self._begun_by_playwright

    def _begun_by_playwright(self, download: Download) -> None:
        task = asyncio.get_running_loop().create_task(self._taken(download))
        self._placing.add(task)
        task.add_done_callback(self._placing.discard)

    async def _taken(self, download: Download) -> None:
        path, reason = await self._copy(download)
        self._shared.emit(
            Downloaded(
                tab=await self._shared.tab_of_page(download.page),
                at=time.monotonic(),
                url=download.url,
                suggested_name=download.suggested_filename,
                path=path,
                reason=reason,
            )
        )

    async def _copy(self, download: Download) -> tuple[Path | None, str]:
        from playwright.async_api import Error

        folder = self.downloads
        if folder is None:
            return None, KEPT
        arrived = folder / new_secret("download")
        try:
            await download.save_as(arrived)
            return await asyncio.to_thread(place, arrived, folder, download.suggested_filename), ""
        except (OSError, PathRefused, Error) as error:
            return None, str(error).partition("\n")[0]
