"""Pictures of a screen, with black boxes over what is not to be seen. Needs Pillow."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from uiap.drivers.touchscreen.hierarchy import ScreenBounds


async def mask_picture(
    png: bytes, boxes: Sequence[ScreenBounds], screen: tuple[int, int] | None = None
) -> bytes:
    """`screen`: its size in the units of the boxes, where a picture has more pixels than that."""
    return await asyncio.to_thread(_draw_masks, png, tuple(boxes), screen) if boxes else png


def _draw_masks(png: bytes, boxes: Sequence[ScreenBounds], screen: tuple[int, int] | None) -> bytes:
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    size = screen or picture.size
    across, down = picture.width / max(1, size[0]), picture.height / max(1, size[1])
    pencil = ImageDraw.Draw(picture)
    for box in boxes:
        if not box.empty:
            corner = (int(box.right * across + 0.999) - 1, int(box.bottom * down + 0.999) - 1)
            pencil.rectangle((int(box.left * across), int(box.top * down), *corner), fill="black")
    made = io.BytesIO()
    picture.save(made, "PNG")
    return made.getvalue()
