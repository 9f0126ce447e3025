"""The screen behind the test driver of Appium: a simulated application, as a page source of Android or iOS.

The server, its sessions, routes and errors are Appium's own; only the screen is simulated. Differences of a real
XCUITest or UiAutomator2 are not tested by it.
"""

from __future__ import annotations

import base64
import contextlib
import json
import re
import socketserver
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

from tests.support.android_apps import LiveDump, box_of
from tests.support.android_handset import png

HOLD_MS = 500
IOS_TYPES = {
    "Button": "Button",
    "CheckBox": "Switch",
    "EditText": "TextField",
    "FrameLayout": "Window",
    "ListView": "Table",
    "CheckedTextView": "Cell",
    "SeekBar": "Slider",
    "Spinner": "Button",
    "TextView": "StaticText",
}


class Failure(Exception):
    """A failure, by its name in the test driver (`screen-driver/index.js`)."""


class AppiumScreen:
    """One application; `alert` is a system alert, which the page source does not contain."""

    def __init__(self, app: LiveDump, platform: str, socket: Path) -> None:
        self.app, self.platform, self.socket = app, platform, socket
        self.alert: str | None = None
        self.answers: list[bool] = []
        self.toasts: list[str] = []
        self.inputs: list[str] = []
        """Every command that can have an effect."""
        self.failing: dict[str, str] = {}
        """The failures of commands, by command."""
        self.moved_by = 0
        """How far all elements have moved down since the last page source."""
        self._lock = threading.Lock()
        self._server = self._serve()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _serve(self) -> Any:
        screen = self

        class Handler(socketserver.StreamRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    self.wfile.write(json.dumps(screen.answer(json.loads(self.rfile.readline()))).encode())

        class Server(socketserver.ThreadingUnixStreamServer):
            daemon_threads = True
            block_on_close = False

        server = Server(str(self.socket), Handler)
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        return server

    def answer(self, request: list[Any]) -> dict[str, Any]:
        command, *args = request
        try:
            with self._lock:
                if command in self.failing:
                    raise Failure(self.failing[command])
                if self.alert is not None and command not in ("alert", "answer"):
                    raise Failure("alert")
                if command in ("actions", "click", "clear", "write", "back", "link"):
                    self.inputs.append(command)
                return {"value": getattr(self, f"_{command}")(*args)}
        except Failure as failure:
            return {"failure": str(failure), "value": f"the test requested the failure {failure}"}

    # -- reading --------------------------------------------------------------------------------------------

    def _source(self) -> str:
        return ET.tostring(self._ios() if self.platform == "iOS" else self._android(), encoding="unicode")

    def _android(self) -> ET.Element:
        top = ET.Element("hierarchy", {"rotation": "0", "width": "1080", "height": "2400"})
        for node in self.app.root:
            top.append(_as_android(node))
        for text in self.toasts:
            toast = {
                "class": "android.widget.Toast",
                "text": text,
                "displayed": "true",
                "bounds": "[300,2000][780,2100]",
            }
            ET.SubElement(top, "android.widget.Toast", toast)
        return top

    def _ios(self) -> ET.Element:
        top = ET.Element("AppiumAUT")
        box = {"x": "0", "y": "0", "width": "1080", "height": "2400"}
        attributes = {
            "type": "XCUIElementTypeApplication",
            "name": "Notes",
            "label": "Notes",
            "enabled": "true",
        }
        application = ET.SubElement(
            top, "XCUIElementTypeApplication", {**attributes, "visible": "true", **box}
        )
        for index, root in enumerate(self._windows()):
            application.append(_as_ios(root[0], "Alert" if index else "Window"))
        bar = ET.SubElement(
            application, "XCUIElementTypeStatusBar", {"enabled": "true", "visible": "true", **box}
        )
        clock = {
            "label": str(len(self.inputs)),
            "name": "clock",
            "value": "9:50",
            "enabled": "true",
            "visible": "true",
        }
        ET.SubElement(bar, "XCUIElementTypeStaticText", {**clock, **box})
        return top

    def _windows(self) -> list[ET.Element]:
        return [*(root for root, _ in self.app._covered), self.app.root]

    def _screenshot(self) -> str:
        return base64.b64encode(png(54, 120)).decode()

    # -- touches --------------------------------------------------------------------------------------------

    def _actions(self, fingers: list[dict[str, Any]]) -> None:
        paths = [_path(one["actions"]) for one in fingers]
        if len(paths) == 2:
            self.app.on.get("pinch", lambda _: None)(self.app)
            return
        for points, held_ms in paths[0]:
            if len(points) > 1 or held_ms >= HOLD_MS:
                self.app.swipe(points[0], points[-1], 300)
            else:
                self.app.tap(*points[0])

    # -- elements -------------------------------------------------------------------------------------------

    def _node(self, path: str) -> ET.Element:
        indexes = [int(one) - 1 for one in re.findall(r"\*\[(\d+)\]", path)]
        if not re.fullmatch(r"/\w+(/\*\[\d+\])+", path):
            raise Failure("element")
        try:
            if self.platform == "iOS":
                node = self._windows()[indexes[0]][0]
                indexes = indexes[1:]
            else:
                node = self.app.root
            for index in indexes:
                node = node[index]
        except IndexError:
            raise Failure("element") from None
        return node

    def _find(self, path: str) -> None:
        self._node(path)

    def _rect(self, path: str) -> dict[str, int]:
        box = box_of(self._node(path))
        return {"x": box.left, "y": box.top + self.moved_by, "width": box.width, "height": box.height}

    def _click(self, path: str) -> None:
        self.app.tap(*box_of(self._node(path)).center)

    def _clear(self, path: str) -> None:
        self._node(path).set("text", "")

    def _write(self, path: str, text: str) -> None:
        if path != "active":
            node = self._node(path)
            if not node.get("class", "").endswith("EditText"):
                raise Failure("state")
            self.app._focus(node)
        self.app.type(text)

    # -- other commands -------------------------------------------------------------------------------------

    def _back(self) -> None:
        self.app.close_window()

    def _link(self, url: str) -> None:
        self.app.start(url)

    def _alert(self) -> str:
        if self.alert is None:
            raise Failure("noAlert")
        return self.alert

    def _answer(self, accept: bool) -> None:
        self._alert()
        self.answers.append(accept)
        self.alert = None

    def _execute(self, script: str, args: dict[str, Any]) -> Any:
        name = script.removeprefix("mobile: ")
        package, _, activity = self.app.component.partition("/")
        commands: dict[str, Callable[[], Any]] = {
            "getCurrentPackage": lambda: package,
            "getCurrentActivity": lambda: activity,
            "activeAppInfo": lambda: {"bundleId": package},
            "isKeyboardShown": lambda: False,
            "pressKey": lambda: self.app.key(args["keycode"]),
            "startActivity": lambda: self.app.start(args["component"]),
            "activateApp": lambda: self.app.start(_component(args)),
        }
        if name not in commands:
            raise Failure("unknown")
        return commands[name]()


def _component(args: dict[str, Any]) -> str:
    app = args.get("bundleId") or args.get("appId") or ""
    return f"{app}/.Other" if app.endswith("other") else f"{app}/.Main"


def _path(steps: Sequence[dict[str, Any]]) -> list[tuple[list[tuple[int, int]], float]]:
    """Return the points of every touch, and how many milliseconds the finger stayed."""
    touches: list[tuple[list[tuple[int, int]], float]] = []
    at, down = (0, 0), False
    for step in steps:
        if step["type"] == "pointerMove":
            at = (step["x"], step["y"])
            if down:
                touches[-1][0].append(at)
        elif step["type"] == "pointerDown":
            touches.append(([at], 0.0))
            down = True
        elif step["type"] == "pointerUp":
            down = False
        elif down:
            touches[-1] = (touches[-1][0], touches[-1][1] + step["duration"])
    return touches


def _as_android(node: ET.Element) -> ET.Element:
    """Return the node in the form of UiAutomator2: with the class as the tag and with `displayed`."""
    element = ET.Element(node.get("class", "android.view.View"), {**node.attrib, "displayed": "true"})
    element.extend(_as_android(child) for child in node)
    return element


def _as_ios(node: ET.Element, kind: str = "") -> ET.Element:
    """Return the node in the form of XCUITest: without resource ids and flags, with a rectangle."""
    get, cls = node.get, node.get("class", "").rpartition(".")[2]
    kind = kind or ("SecureTextField" if get("password") == "true" else IOS_TYPES.get(cls, "Other"))
    box = box_of(node)
    attributes = {"enabled": get("enabled", "false"), "visible": "true", "accessible": "true"}
    label = get("content-desc") or get("text", "")
    if kind == "Switch":
        attributes["value"] = "1" if get("checked") == "true" else "0"
    elif kind in ("TextField", "SecureTextField") or cls == "Spinner":
        attributes["value"] = get("text", "")
    if kind == "Alert":
        label = node[0].get("text", "")
    rect = {"x": box.left, "y": box.top, "width": box.width, "height": box.height}
    element = ET.Element(
        f"XCUIElementType{kind}",
        {"type": f"XCUIElementType{kind}", "name": label, "label": label, **attributes}
        | {side: str(value) for side, value in rect.items()},
    )
    element.extend(_as_ios(child) for child in node)
    return element
