"""Files of a Playwright page: choosers work as in Chromium; downloads are copied from Playwright's own folder."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

from uiap.drivers.chromium.browser.files import ChromiumFiles, move_download
from uiap.drivers.errors import PathRefused
from uiap.drivers.events import Downloaded
from uiap.drivers.playwright.context import PlaywrightContext
from uiap.ids import new_secret

if TYPE_CHECKING:
    from playwright.async_api import Download

NO_FOLDER_REASON = "Playwright keeps the file; give a download folder to get a copy"


class PlaywrightFiles(ChromiumFiles):
    """Playwright configures downloads and reports them to us."""

    def __init__(self, context: PlaywrightContext) -> None:
        super().__init__(context)
        self._shared = context

    async def start(self) -> None:
        if self.downloads is not None:
            self.downloads.mkdir(parents=True, exist_ok=True)
        self._shared.on_download = self._on_download

    def _on_download(self, download: Download) -> None:
        task = asyncio.get_running_loop().create_task(self._report_download(download))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _report_download(self, download: Download) -> None:
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
            return None, NO_FOLDER_REASON
        arrived = folder / new_secret("download")
        try:
            await download.save_as(arrived)
            return await asyncio.to_thread(move_download, arrived, folder, download.suggested_filename), ""
        except (OSError, PathRefused, Error) as error:
            return None, str(error).partition("\n")[0]
