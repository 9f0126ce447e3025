"""The pytest plug-in: a fixture `uiap` that opens applications.

    def test_a_video_is_created(uiap):
        ui = uiap("http://localhost:8000/videos/new")
        ui.act("ui.enterText", role="textbox", name="Title", args={"text": "Hello"}).check()

The sessions are closed after the test. The report of a failed test shows the outlines of its pages. Everything but
pytest is imported when the fixture is first used.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from uiap.api.sync import SyncUi

OUTLINE_TOKENS = 1_000


class UiFactory:
    """Opens sessions: call it with an address and the options of `uiap.open`."""

    def __init__(self) -> None:
        self._opened: list[SyncUi] = []

    def __call__(self, url: str, **options: Any) -> SyncUi:
        from uiap.api import sync

        ui = sync.open(url, **options)
        self._opened.append(ui)
        return ui

    def outlines(self) -> list[str]:
        """Return the outlines of the open pages; closed pages are left out."""
        outlines = []
        for ui in self._opened:
            with suppress(Exception):  # a report must not fail because a page is gone
                outlines.append(ui.outline(budget=OUTLINE_TOKENS))
        return outlines

    def close(self) -> None:
        while self._opened:
            self._opened.pop().close()


@pytest.fixture
def uiap() -> Generator[UiFactory, None, None]:
    """Open applications, each in its own browser: `ui = uiap(url)`."""
    opener = UiFactory()
    try:
        yield opener
    finally:
        opener.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    opener = getattr(item, "funcargs", {}).get("uiap")
    if report.when == "call" and report.failed and isinstance(opener, UiFactory):
        for text in opener.outlines():
            report.sections.append(("uiap: what the page shows", text))
    return report
