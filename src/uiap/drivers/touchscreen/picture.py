"""Mask private parts of a screenshot with black boxes. Needs Pillow."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from uiap.drivers.touchscreen.hierarchy import ScreenBounds


async def mask_picture(
    png: bytes, boxes: Sequence[ScreenBounds], screen: tuple[int, int] | None = None
) -> bytes:
    """Return the picture with black boxes.

    `screen` is the size of the screen in the units of the boxes, if the picture has more pixels than that.
    """
    return await asyncio.to_thread(_draw_masks, png, tuple(boxes), screen) if boxes else png


def _draw_masks(png: bytes, boxes: Sequence[ScreenBounds], screen: tuple[int, int] | None) -> bytes:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    size = screen or picture.size
    scale_x, scale_y = picture.width / max(1, size[0]), picture.height / max(1, size[1])
    draw = ImageDraw.Draw(picture)
    for box in boxes:
        if not box.is_empty:
            corner = (int(box.right * scale_x + 0.999) - 1, int(box.bottom * scale_y + 0.999) - 1)
            draw.rectangle((int(box.left * scale_x), int(box.top * scale_y), *corner), fill="black")
    masked = io.BytesIO()
    picture.save(masked, "PNG")
    return masked.getvalue()
