"""Applications for the simulated device: recorded or synthetic dumps whose controls react to touches and keys.

A switch toggles, a field takes text, and a slider follows the touch and reports percent, as in the recordings. Other
reactions are functions, by the text of the control.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from uiap.drivers.touchscreen.hierarchy import ScreenBounds, parse_bounds

CHECKABLE = ("CheckBox", "Switch", "SwitchCompat", "ToggleButton", "RadioButton")
TRACK_PADDING = 0.1
"""The fraction of its length that a slider keeps free at each end."""
DELETE, END, BACK, ENTER = 67, 123, 4, 66
Track = tuple[tuple[int, int], tuple[int, int]]

PACKAGE = "org.example.notes"


def _part(
    cls: str, box: str, *flags: str, text: str = "", desc: str = "", id: str = "", inner: str = ""
) -> str:
    """Return one node of a dump; flags that are not named are false."""
    attributes = {"text": text, "content-desc": desc, "resource-id": f"{PACKAGE}:id/{id}" if id else ""}
    attributes |= {"class": f"android.widget.{cls}", "package": PACKAGE, "bounds": box}
    rendered = " ".join(f'{name}="{value}"' for name, value in attributes.items())
    rendered_flags = " ".join(f'{flag}="true"' for flag in flags)
    return f"<node {rendered} {rendered_flags}>{inner}</node>"


def _screen(*parts: str, cls: str = "FrameLayout", box: str = "[0,0][1080,2400]") -> str:
    numbered = "".join(
        part.replace("<node ", f'<node index="{index}" ', 1) for index, part in enumerate(parts)
    )
    return f'<hierarchy rotation="0">{_part(cls, box, "enabled", inner=numbered)}</hierarchy>'


PRESSABLE = ("enabled", "clickable")
WRITABLE = (*PRESSABLE, "focusable", "long-clickable")
NOTES = _screen(
    _part("Button", "[0,200][400,320]", *PRESSABLE, text="Save", id="save"),
    _part("Button", "[0,340][400,460]", "clickable", text="Locked"),
    _part("Button", "[500,200][900,320]", *PRESSABLE, text="Ask"),
    _part("EditText", "[0,500][1080,620]", *WRITABLE, text="old", desc="Title", id="title"),
    _part("CheckBox", "[0,700][400,820]", *PRESSABLE, "checkable", text="Agree"),
    _part("Spinner", "[0,900][400,1020]", *PRESSABLE, text="Red", desc="Colour"),
    _part("TextView", "[0,1100][1080,1180]", "enabled", text="Idle", id="status"),
    _part("EditText", "[0,1190][1080,1290]", *WRITABLE, "password", desc="Secret", id="secret"),
)
OPTIONS = _screen(
    _part("CheckedTextView", "[0,1050][400,1110]", *PRESSABLE, "checkable", "checked", text="Red"),
    _part("CheckedTextView", "[0,1120][400,1180]", *PRESSABLE, "checkable", text="Blue"),
    cls="ListView",
    box="[0,900][400,1200]",
)
DIALOG = _screen(
    _part("TextView", "[140,900][940,1000]", "enabled", text="Really?", id="alertTitle"),
    _part("Button", "[140,1100][500,1220]", *PRESSABLE, text="Leave it"),
    box="[100,860][980,1260]",
)
OTHER = _screen(_part("Button", "[0,200][400,320]", *PRESSABLE, text="Elsewhere"))

Handler = Callable[["LiveDump"], None]


class LiveDump:
    """One screen whose controls react; other windows can open over it."""

    def __init__(self, xml: str, component: str, on: Mapping[str, Handler] | None = None) -> None:
        self.component = component
        self.on = dict(on or {})
        self._first = xml
        self._covered: list[tuple[ET.Element, str]] = []
        self.scale = 1.0
        """The scale of the last pinch."""
        self.show(xml)

    def show(self, xml: str, component: str | None = None) -> None:
        self.root = ET.fromstring(xml[xml.index("<hierarchy") :])
        self.component = component or self.component

    def start(self, target: str) -> None:
        self.show(self._first, target if "/" in target and "://" not in target else None)

    def open_window(self, xml: str) -> None:
        """Open a window over this one; Back closes it."""
        self._covered.append((self.root, self.component))
        self.show(xml)

    def close_window(self) -> None:
        if self._covered:
            self.root, self.component = self._covered.pop()

    def find(self, name: str) -> ET.Element:
        """Return the one node with this text, description or id."""
        found = [one for one in self.root.iter("node") if name in _names(one)]
        assert len(found) == 1, f"{len(found)} nodes have the name `{name}`"
        return found[0]

    def set(self, name: str, **attributes: str) -> None:
        node = self.find(name)
        for attribute, value in attributes.items():
            node.set(attribute.replace("_", "-"), value)

    def later(self, seconds: float, change: Callable[[], Any]) -> threading.Timer:
        timer = threading.Timer(seconds, change)
        timer.daemon = True
        timer.start()
        return timer

    # -- called by the device -------------------------------------------------------------------------------

    def dump(self) -> str:
        return "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>" + ET.tostring(
            self.root, encoding="unicode"
        )

    def tap(self, x: int, y: int) -> None:
        node = self._at(x, y)
        if node is None or node.get("enabled") != "true":
            return
        kind = node.get("class", "").rpartition(".")[2]
        if kind in CHECKABLE:
            node.set("checked", "false" if node.get("checked") == "true" else "true")
        elif kind == "SeekBar":
            slide(node, x, y)
        elif kind == "EditText":
            self._focus(node)
        for name in _names(node):
            if name in self.on:
                self.on[name](self)
                break

    def swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int) -> None:
        node = self._at(*start)
        if node is not None and node.get("class", "").endswith("SeekBar"):
            slide(node, *end)
        elif start == end and node is not None:
            for name in _names(node):
                self.on.get(f"hold {name}", lambda _: None)(self)
        else:
            self.on.get("swipe", lambda _: None)(self)

    def pinch(self, one: Track, other: Track) -> None:
        """Call the pinch handler of the node under both fingers."""
        (a, a_end), (b, b_end) = one, other
        nodes = [
            node for node in self.root.iter("node") if box_of(node).contains(*a) and box_of(node).contains(*b)
        ]
        self.scale = math.dist(a_end, b_end) / math.dist(a, b)
        for name in (name for node in reversed(nodes) for name in _names(node)):
            if f"pinch {name}" in self.on:
                self.on[f"pinch {name}"](self)
                break

    def type(self, text: str) -> None:
        field = self._focused()
        if field is not None:
            old = field.get("text", "")
            field.set("text", old + ("•" * len(text) if field.get("password") == "true" else text))

    def key(self, code: int) -> None:
        field = self._focused()
        if code == BACK:
            self.close_window()
        elif code == DELETE and field is not None:
            field.set("text", field.get("text", "")[:-1])
        elif code == ENTER and field is not None:
            field.set("text", field.get("text", "") + "\n")

    # -- internals ------------------------------------------------------------------------------------------

    def _at(self, x: int, y: int) -> ET.Element | None:
        """Return the topmost touchable node at a point."""
        found = None
        for node in self.root.iter("node"):
            if box_of(node).contains(x, y) and (
                node.get("clickable") == "true"
                or node.get("long-clickable") == "true"
                or node.get("class", "").endswith("SeekBar")
            ):
                found = node
        return found

    def _focused(self) -> ET.Element | None:
        return next((one for one in self.root.iter("node") if one.get("focused") == "true"), None)

    def _focus(self, node: ET.Element) -> None:
        for one in self.root.iter("node"):
            one.set("focused", "false")
        node.set("focused", "true")


def box_of(node: ET.Element) -> ScreenBounds:
    return parse_bounds(node.get("bounds", ""))


def slide(node: ET.Element, x: int, y: int) -> None:
    """Move the thumb to the touch; the track has padding at both ends, as real sliders have."""
    box = box_of(node)
    if box.height > 1.2 * box.width:
        fraction = (box.bottom - 1 - y) / max(1, box.height - 1)
    else:
        fraction = (x - box.left) / max(1, box.width - 1)
    value = round(100 * min(1.0, max(0.0, (fraction - TRACK_PADDING) / (1 - 2 * TRACK_PADDING))))
    node.set("content-desc", f"{value}%")


def _names(node: ET.Element) -> tuple[str, ...]:
    return tuple(
        name for name in (node.get("text"), node.get("content-desc"), node.get("resource-id")) if name
    )


def notes() -> LiveDump:
    """Return the application of the contract suite, for a device."""

    def pick(colour: str) -> Handler:
        def choose(app: LiveDump) -> None:
            app.close_window()
            app.set("Colour", text=colour)

        return choose

    app = LiveDump(
        NOTES,
        "org.example.notes/.Main",
        {
            "Save": lambda app: app.set("org.example.notes:id/status", text="Saved"),
            "Ask": lambda app: app.open_window(DIALOG),
            "Leave it": LiveDump.close_window,
            "Colour": lambda app: app.open_window(OPTIONS),
            "Blue": pick("Blue"),
        },
    )
    app.on["Red"] = lambda app: app.open_window(OPTIONS) if not app._covered else pick("Red")(app)

    def start(target: str) -> None:
        app._covered.clear()
        app.show(OTHER if target.endswith("/.Other") else NOTES, target)

    app.start = start  # type: ignore[method-assign]
    return app
