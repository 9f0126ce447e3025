"""A live desktop application on the simulated device: its windows as a UI hierarchy, and taps as real clicks.

It is the protocol of adb in front of a desktop application, not Android. The effects of taps are real.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from uiap.drivers.desktop import DesktopDriver
from uiap.spec.web import ElementNode, PageGraph

CLASSES: Mapping[str, str] = {
    "button": "android.widget.Button",
    "menu": "android.widget.Button",
    "menuitem": "android.widget.Button",
    "checkbox": "android.widget.CheckBox",
    "switch": "android.widget.Switch",
    "textbox": "android.widget.EditText",
    "textarea": "android.widget.EditText",
    "slider": "android.widget.SeekBar",
}
WAIT_S = 30.0
KEYS = {66: "Enter", 67: "Backspace", 123: "End", 61: "Tab"}


class Window:
    """One desktop application, whose driver runs on its own event loop."""

    component = "org.gnome.calculator/.Main"

    def __init__(self, command: str, environ: Mapping[str, str]) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._driver: DesktopDriver = self._run(DesktopDriver.open(f"desktop:{command}", environ=environ))
        self._run(self._driver.start(lambda _: None))

    def close(self) -> None:
        self._run(self._driver.close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT_S)
        self._loop.close()

    def dump(self) -> str:
        graph: PageGraph = self._run(self._driver.observe())
        root = ET.Element("hierarchy", rotation="0")
        package = self.component.partition("/")[0]
        window = ET.SubElement(
            root, "node", _attributes("android.widget.FrameLayout", package, [0, 0, 1024, 768])
        )
        for index, element in enumerate(one for one in graph.elements if one.bbox):
            ET.SubElement(window, "node", {**_node(element, package), "index": str(index)})
        return ET.tostring(root, encoding="unicode")

    def tap(self, x: int, y: int) -> None:
        display = self._driver._display
        self._run(display.run(display.click, x, y))

    def swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int) -> None:
        self.tap(*end)

    def pinch(self, *_: object) -> None:
        raise NotImplementedError("a desktop has one pointer")

    def type(self, text: str) -> None:
        display = self._driver._display
        self._run(display.run(display.type, text))

    def key(self, code: int) -> None:
        display = self._driver._display
        if code in KEYS:
            self._run(display.run(display.press, KEYS[code]))

    def _run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result(WAIT_S)


def _node(element: ElementNode, package: str) -> dict[str, str]:
    assert element.bbox
    box, state = element.bbox, element.state
    corners = [int(box.x), int(box.y), int(box.x + box.width), int(box.y + box.height)]
    attributes = _attributes(CLASSES.get(element.role, "android.widget.TextView"), package, corners)
    text = state.text_value if element.role in ("textbox", "textarea") else element.name or element.text
    clickable = "activate" in element.affordances or "edit" in element.affordances
    attributes |= {"text": text or "", "clickable": _flag(clickable), "enabled": _flag(state.enabled is True)}
    attributes |= {"focusable": _flag(state.focusable is True)}
    if element.role in ("textbox", "textarea"):  # a touched button does not take the focus
        attributes["focused"] = _flag(state.focused is True)
    return attributes


def _attributes(cls: str, package: str, corners: list[int]) -> dict[str, str]:
    left, top, right, bottom = corners
    return {
        "index": "0",
        "text": "",
        "resource-id": "",
        "class": cls,
        "package": package,
        "content-desc": "",
        "enabled": "true",
        "bounds": f"[{left},{top}][{right},{bottom}]",
    }


def _flag(value: bool) -> str:
    return str(value).lower()
