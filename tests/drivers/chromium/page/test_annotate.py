"""Annotated pictures: every visible control is labelled with its ref, and the application does not change."""

from __future__ import annotations

import struct

import pytest

from uiap.drivers.chromium.driver import ChromiumDriver
from uiap.drivers.chromium.page.annotate import Label, labelled_html


def size_of(png: bytes) -> tuple[int, int]:
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def test_label_is_escaped_text():
    page = labelled_html(b"png", [Label('<img onerror="x">', 1, 20, 30, 40)], (100, 50))
    assert "&lt;img onerror" in page
    assert page.count("<img") == 1
    assert "left:1px;top:20px;width:30px;height:40px" in page


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
async def test_annotated_picture_shows_the_viewport_and_does_not_change_the_page(
    driver: ChromiumDriver,
) -> None:
    await driver.navigate("data:text/html,<title>t</title><button>One</button><input aria-label=Two>")
    before = await driver.observe()
    plain = await driver.evidence("screenshot")
    drawn = await driver.evidence("annotated")
    assert size_of(drawn.data) == size_of(plain.data)
    assert drawn.data != plain.data
    assert (await driver.observe()).revision == before.revision
    assert len(driver.tabs.all()) == 1
