from __future__ import annotations

import io

from PIL import Image

from tests.support.android_handset import png
from uiap.drivers.touchscreen.hierarchy import ScreenBounds
from uiap.drivers.touchscreen.picture import mask_picture


async def test_boxes_are_scaled_to_a_picture_with_more_pixels_than_the_screen():
    page = Image.open(
        io.BytesIO(await mask_picture(png(300, 200), [ScreenBounds(10, 10, 20, 20)], (100, 100)))
    )
    black = [(x, y) for x in range(300) for y in range(200) if page.getpixel((x, y)) == (0, 0, 0)]
    assert (min(black), max(black), len(black)) == ((30, 20), (59, 39), 30 * 20)


async def test_picture_without_boxes_is_unchanged():
    assert await mask_picture(png(3, 2), []) == png(3, 2)
