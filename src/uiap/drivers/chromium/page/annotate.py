"""Draw labels on a screenshot: the element that the outline calls [e5] is labelled e5.

The labels are drawn in a page of a separate context, so the application cannot notice them.
"""

from __future__ import annotations

import base64
import html
from typing import NamedTuple

from uiap.drivers.chromium.connection.cdp import CdpSession

LABEL_HEIGHT = 13
COLOURS = ("#c2185b", "#1565c0", "#2e7d32", "#6a1b9a", "#d84315", "#00838f")


class Label(NamedTuple):
    text: str
    x: float
    y: float
    width: float
    height: float
    cover: bool = False
    """Draw a black box instead of a frame with a ref."""


async def draw_labels(page: CdpSession, png: bytes, labels: list[Label], size: tuple[float, float]) -> bytes:
    """Return the picture with a box and a ref for each label; `page` is an empty page for our own use."""
    tree = await page.send("Page.getFrameTree")
    document = {"frameId": tree["frameTree"]["frame"]["id"], "html": labelled_html(png, labels, size)}
    await page.send("Page.setDocumentContent", document)
    decoded = {"expression": "document.images[0].decode()", "awaitPromise": True}
    await page.send("Runtime.evaluate", decoded, timeout=10.0)
    shot = await page.send("Page.captureScreenshot", {"format": "png"}, timeout=20.0)
    return base64.b64decode(shot["data"])


def labelled_html(png: bytes, labels: list[Label], size: tuple[float, float]) -> str:
    """Return an HTML page with the picture and its labels; it never contains text of the application."""
    boxes = "".join(_box(label, COLOURS[n % len(COLOURS)]) for n, label in enumerate(labels))
    data = base64.b64encode(png).decode()
    style = (
        "body{margin:0;overflow:hidden}img{display:block}div{position:absolute;box-sizing:border-box;border:2px solid}"
        "b{position:absolute;left:-2px;color:#fff;font:bold 10px/13px sans-serif;padding:0 3px;"
        "white-space:nowrap}"
    )
    width, height = size
    return f'<style>{style}</style><img src="data:image/png;base64,{data}" width={width:g} height={height:g}>{boxes}'


def _box(label: Label, colour: str) -> str:
    if label.cover:
        x, y, width, height = label.x - 2, label.y - 2, label.width + 4, label.height + 4
        return f'<div style="left:{x:g}px;top:{y:g}px;width:{width:g}px;height:{height:g}px;background:#000"></div>'
    position = f"left:{label.x:g}px;top:{label.y:g}px;width:{label.width:g}px;height:{label.height:g}px"
    top = -15 if label.y >= LABEL_HEIGHT else -2  # above the control, so that its text stays readable
    text = html.escape(label.text)
    flag = f'<b style="background:{colour};top:{top}px">{text}</b>'
    return f'<div style="{position};border-color:{colour}">{flag}</div>'
