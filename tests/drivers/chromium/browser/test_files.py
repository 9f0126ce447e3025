"""Downloads: suggested names are never trusted, and files are saved in the given folder only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, ContextOptions
from uiap.drivers.chromium.browser.files import move_download, safe_name
from uiap.drivers.errors import CallFailed
from uiap.drivers.events import Downloaded

browser_test = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


@pytest.mark.parametrize(
    ("suggested", "expected"),
    [
        ("report.pdf", "report.pdf"),
        ("../../etc/passwd", "passwd"),
        ("..\\..\\evil.exe", "evil.exe"),
        (".bashrc", "bashrc"),
        ("a\0b\n.txt", "ab.txt"),
        ("..", "download"),
        ("", "download"),
        ("C:evil.txt", "Cevil.txt"),
        ("übergröße.txt", "übergröße.txt"),
    ],
)
def test_suggested_name_becomes_a_plain_file_name(suggested: str, expected: str) -> None:
    assert safe_name(suggested) == expected


def test_long_name_is_cut_and_keeps_its_ending() -> None:
    name = safe_name("ü" * 300 + ".pdf")
    assert name.endswith(".pdf") and len(name.encode()) <= 200


def test_existing_file_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("old")
    (tmp_path / "a (2).txt").symlink_to("/nowhere")
    arrived = tmp_path / "guid"
    arrived.write_text("new")
    target = move_download(arrived, tmp_path, "a.txt")
    assert (target.name, target.read_text()) == ("a (3).txt", "new")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert not arrived.exists()


@pytest_asyncio.fixture(loop_scope="module")
async def saving(
    chromium: ChromiumBrowser, recorder: Recorder, tmp_path: Path
) -> AsyncIterator[ChromiumDriver]:
    opened = ChromiumDriver(chromium, ContextOptions(downloads=tmp_path / "downloads"))
    await opened.start(recorder)
    yield opened
    await opened.close()


def attachment(site: Site, path: str, filename: str) -> None:
    head = {"Content-Disposition": f'attachment; filename="{filename}"', "Content-Type": "text/csv"}
    site.page(path, "a,b\n", headers=head)


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


class TestDownloads:
    pytestmark = browser_test

    async def test_download_is_saved_in_the_folder_under_a_safe_name(
        self, saving: ChromiumDriver, recorder: Recorder, site: Site, tmp_path: Path
    ) -> None:
        attachment(site, "/export", "../../export.csv")
        await saving.navigate(site.page("/downloads", "<a href='/export'>Export</a>"))
        await saving.evaluate("document.querySelector('a').click()")
        done = await recorder.first(Downloaded)
        assert done.reason == "" and done.path is not None
        assert done.path.parent == tmp_path / "downloads" and done.path.read_text() == "a,b\n"
        assert listing(tmp_path) == [f"downloads/{done.path.name}"]
        assert "/" not in done.path.name and not done.path.name.startswith(".")

    async def test_navigation_to_a_download_reports_it(
        self, saving: ChromiumDriver, recorder: Recorder, site: Site
    ) -> None:
        attachment(site, "/direct", "direct.csv")
        await saving.navigate(site.url("/direct"))
        done = await recorder.first(Downloaded)
        assert done.path is not None and done.path.name == "direct.csv"

    async def test_download_without_a_folder_is_refused_and_reported(
        self, driver: ChromiumDriver, recorder: Recorder, site: Site
    ) -> None:
        attachment(site, "/denied", "denied.csv")
        await driver.navigate(site.page("/downloads", "<a href='/denied'>Export</a>"))
        await driver.evaluate("document.querySelector('a').click()")
        done = await recorder.first(Downloaded)
        assert done.path is None and "with a download folder" in done.reason

    async def test_choosing_without_a_chooser_is_an_error(
        self, driver: ChromiumDriver, tmp_path: Path
    ) -> None:
        with pytest.raises(CallFailed, match="no file chooser is open"):
            await driver.files.choose([tmp_path / "x"])
