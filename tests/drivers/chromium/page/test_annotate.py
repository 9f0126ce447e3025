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


@pytest.mark.browser
@pytest.mark.asyncio(loop_scope="module")
async def test_a_picture_of_an_element_has_its_size_and_its_look_also_on_a_scrolled_page(
    driver: ChromiumDriver,
) -> None:
    style = "width:80px;height:30px;border:0;padding:0"
    button = f"<button style='{style};background:%s'>%s</button>"
    page = button % ("red", "One") + button % ("blue", "Two")
    await driver.navigate(
        f"data:text/html,<title>t</title><p style='height:500px'></p>{page}<p style='height:2000px'></p>"
    )
    await driver.evaluate("scrollTo(0, 300)")
    found = {one.name: one.instance_id for one in (await driver.observe()).elements if one.role == "button"}
    pictures = [await driver.element_picture(found[name]) for name in ("One", "Two")]
    again = await driver.element_picture(found["One"])
    assert [size_of(one or b"") for one in pictures] == [(80, 30), (80, 30)]
    assert pictures[0] == again and pictures[0] != pictures[1]
    await driver.evaluate("scrollTo(0, 2400)")  # a person compares elements that may be outside of the window
    assert await driver.element_picture(found["One"]) == again
