"""Reads text that is only painted: takes a picture of each canvas and recognises its words, with the extra `vision`.

Recognition runs on a worker thread. This module returns words; `runtime.painted_text` matches them to a target.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from uiap.actions.ops import Guard, ScrollIntoView
from uiap.drivers.driver import Driver, ElementPicture, SupportsPictures
from uiap.drivers.errors import DriverError
from uiap.host.observation.page import TabView
from uiap.runtime.painted_text import RegionText, Word, match_painted_text, painted_regions, still_there
from uiap.runtime.resolve import Candidates, PaintedText
from uiap.spec.action import ActionTarget
from uiap.spec.web import ElementNode

MAX_CANVASES = 4
MAX_SIDE_PX, MAX_SCALE = 1280, 2.0
"""A picture is resized to at most this side length, and enlarged by at most this factor."""

ReadWords = Callable[[ElementPicture], tuple[Word, ...]]


def is_installed() -> bool:
    """Return whether the packages of the extra `vision` are installed."""
    return all(find_spec(name) is not None for name in ("rapidocr", "onnxruntime"))


class VisionReader:
    """Reads the canvases of one driver's pages. `read` recognises the words of a picture."""

    def __init__(self, driver: Driver, read: ReadWords | None = None) -> None:
        self._driver = driver
        self._read = read or (ocr if is_installed() else None)

    @property
    def available(self) -> bool:
        return self._read is not None and isinstance(self._driver, SupportsPictures)

    async def gather(self, tab: TabView, target: ActionTarget) -> Candidates:
        """Return the words on the canvases of a tab that match the target."""
        hosts = painted_regions(tab.store, target)[:MAX_CANVASES] if self.available else []
        views = [view for host in hosts if (view := await self._read_view(tab, host)) is not None]
        return match_painted_text(tab.store, target, views)

    async def still_shows(self, seen: PaintedText) -> bool:
        """Return whether the canvas still shows the same word at the same position."""
        words = await self._read_words(seen.host.instance_id)
        return words is not None and still_there(seen, words[1])

    async def _read_view(self, tab: TabView, host: ElementNode) -> RegionText | None:
        with suppress(DriverError):
            facts = (await self._driver.probe([host.instance_id]))[host.instance_id]
            if facts.attached and not facts.in_viewport:
                guard = Guard(node=host.instance_id)
                await self._driver.perform(ScrollIntoView(guard=guard), tab=tab.id)
        found = await self._read_words(host.instance_id)
        return None if found is None else RegionText(host, found[0].box, found[1])

    async def _read_words(self, node: str) -> tuple[ElementPicture, tuple[Word, ...]] | None:
        read, driver = self._read, self._driver
        if read is None or not isinstance(driver, SupportsPictures):
            return None
        try:
            picture = await driver.picture(node)
        except DriverError:
            return None
        return None if picture is None else (picture, await asyncio.to_thread(read, picture))


def ocr(picture: ElementPicture) -> tuple[Word, ...]:
    """Return the words on a picture. The package rapidocr contains its models, so nothing is downloaded."""
    array, image = import_module("numpy").asarray, import_module("PIL.Image")
    whole = image.open(BytesIO(picture.data)).convert("RGB")
    scale = whole.width / picture.viewport[0]
    box = picture.box
    left, top = max(0.0, box.x), max(0.0, box.y)
    right, bottom = min(picture.viewport[0], box.x + box.width), min(picture.viewport[1], box.y + box.height)
    if right - left < 1 or bottom - top < 1:
        return ()
    part = whole.crop(tuple(round(edge * scale) for edge in (left, top, right, bottom)))
    times = min(MAX_SCALE, MAX_SIDE_PX / max(part.size))
    part = part.resize((max(1, round(part.width * times)), max(1, round(part.height * times))))
    found = _engine()(array(part)[:, :, ::-1])
    if found.boxes is None:
        return ()
    pixel = scale * times
    corner = (left - box.x, top - box.y)
    lines = zip(found.txts, found.scores, found.boxes, strict=True)
    return tuple(_word(text, score, corners, pixel, corner) for text, score, corners in lines)


def _word(text: str, score: float, corners: Any, pixel: float, corner: tuple[float, float]) -> Word:
    xs = [float(x) / pixel + corner[0] for x, _ in corners]
    ys = [float(y) / pixel + corner[1] for _, y in corners]
    return Word(text, float(score), min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))


@cache
def _engine() -> Any:
    prefix = "EngineConfig.onnxruntime."
    return import_module("rapidocr").RapidOCR(
        params={
            # threads that spin while they wait would take CPU time from the browser
            prefix + "intra_op_num_threads": 1,
            prefix + "inter_op_num_threads": 1,
            "Global.use_cls": False,
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": MAX_SIDE_PX,
        }
    )
