"""Applications for the stand-in device: a recorded or hand-written dump whose controls answer to fingers and keys.

A switch switches, a field takes text, a slider goes to the finger and says so in percent, as the recorded ones do. What
else happens is a function by the words of the control.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree as ET

from uiap.drivers.touchscreen.hierarchy import ScreenBounds, parse_bounds

CHECKS = ("CheckBox", "Switch", "SwitchCompat", "ToggleButton", "RadioButton")
PAD = 0.1
"""So much of its length a slider keeps free at each end."""
DELETE, END, BACK, ENTER = 67, 123, 4, 66
Track = tuple[tuple[int, int], tuple[int, int]]

PACKAGE = "org.example.notes"


def _part(
    cls: str, box: str, *flags: str, text: str = "", desc: str = "", id: str = "", inner: str = ""
) -> str:
    """One node as a dump writes it; flags that are not named are false."""
    known = {"text": text, "content-desc": desc, "resource-id": f"{PACKAGE}:id/{id}" if id else ""}
    known |= {"class": f"android.widget.{cls}", "package": PACKAGE, "bounds": box}
    words = " ".join(f'{name}="{value}"' for name, value in known.items())
    said = " ".join(f'{flag}="true"' for flag in flags)
    return f"<node {words} {said}>{inner}</node>"


def _screen(*parts: str, cls: str = "FrameLayout", box: str = "[0,0][1080,2400]") -> str:
    numbered = "".join(
        part.replace("<node ", f'<node index="{place}" ', 1) for place, part in enumerate(parts)
    )
    return f'<hierarchy rotation="0">{_part(cls, box, "enabled", inner=numbered)}</hierarchy>'


PRESSED = ("enabled", "clickable")
WRITTEN = (*PRESSED, "focusable", "long-clickable")
NOTES = _screen(
    _part("Button", "[0,200][400,320]", *PRESSED, text="Save", id="save"),
    _part("Button", "[0,340][400,460]", "clickable", text="Locked"),
    _part("Button", "[500,200][900,320]", *PRESSED, text="Ask"),
    _part("EditText", "[0,500][1080,620]", *WRITTEN, text="old", desc="Title", id="title"),
    _part("CheckBox", "[0,700][400,820]", *PRESSED, "checkable", text="Agree"),
    _part("Spinner", "[0,900][400,1020]", *PRESSED, text="Red", desc="Colour"),
    _part("TextView", "[0,1100][1080,1180]", "enabled", text="Idle", id="status"),
    _part("EditText", "[0,1190][1080,1290]", *WRITTEN, "password", desc="Secret", id="secret"),
)
OPTIONS = _screen(
    _part("CheckedTextView", "[0,1050][400,1110]", *PRESSED, "checkable", "checked", text="Red"),
    _part("CheckedTextView", "[0,1120][400,1180]", *PRESSED, "checkable", text="Blue"),
    cls="ListView",
    box="[0,900][400,1200]",
)
DIALOG = _screen(
    _part("TextView", "[140,900][940,1000]", "enabled", text="Really?", id="alertTitle"),
    _part("Button", "[140,1100][500,1220]", *PRESSED, text="Leave it"),
    box="[100,860][980,1260]",
)
OTHER = _screen(_part("Button", "[0,200][400,320]", *PRESSED, text="Elsewhere"))

Handler = Callable[["LiveDump"], None]


class LiveDump:
    """One screen that lives; others by name."""

    def __init__(self, xml: str, component: str, on: Mapping[str, Handler] | None = None) -> None:
        self.component = component
        self.on = dict(on or {})
        self._first = xml
        self._under: list[tuple[ET.Element, str]] = []
        self.scale = 1.0
        """How far two fingers went apart when they last did."""
        self.show(xml)

    def show(self, xml: str, component: str | None = None) -> None:
        self.root = ET.fromstring(xml[xml.index("<hierarchy") :])
        self.component = component or self.component

    def start(self, target: str) -> None:
        self.show(self._first, target if "/" in target and "://" not in target else None)

    def over(self, xml: str) -> None:
        """A window in front of this one; Back closes it."""
        self._under.append((self.root, self.component))
        self.show(xml)

    def leave(self) -> None:
        if self._under:
            self.root, self.component = self._under.pop()

    def find(self, words: str) -> ET.Element:
        """The one node with this text, description or id."""
        found = [one for one in self.root.iter("node") if words in _words(one)]
        assert len(found) == 1, f"{len(found)} nodes are called `{words}`"
        return found[0]

    def set(self, words: str, **attributes: str) -> None:
        node = self.find(words)
        for name, value in attributes.items():
            node.set(name.replace("_", "-"), value)

    def later(self, seconds: float, change: Callable[[], Any]) -> threading.Timer:
        timer = threading.Timer(seconds, change)
        timer.daemon = True
        timer.start()
        return timer

    # -- what the device asks -------------------------------------------------------------------------------

    def dump(self) -> str:
        return "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>" + ET.tostring(
            self.root, encoding="unicode"
        )

    def tap(self, x: int, y: int) -> None:
        node = self._at(x, y)
        if node is None or node.get("enabled") != "true":
            return
        kind = node.get("class", "").rpartition(".")[2]
        if kind in CHECKS:
            node.set("checked", "false" if node.get("checked") == "true" else "true")
        elif kind == "SeekBar":
            slide(node, x, y)
        elif kind == "EditText":
            self._focus(node)
        for words in _words(node):
            if words in self.on:
                self.on[words](self)
                break

    def swipe(self, start: tuple[int, int], end: tuple[int, int], ms: int) -> None:
        node = self._at(*start)
        if node is not None and node.get("class", "").endswith("SeekBar"):
            slide(node, *end)
        elif start == end and node is not None:
            for words in _words(node):
                self.on.get(f"hold {words}", lambda _: None)(self)
        else:
            self.on.get("swipe", lambda _: None)(self)

    def pinch(self, one: Track, other: Track) -> None:
        """What lies under both fingers is told how far they went apart."""
        (a, a_end), (b, b_end) = one, other
        under = [
            node for node in self.root.iter("node") if box_of(node).contains(*a) and box_of(node).contains(*b)
        ]
        self.scale = math.dist(a_end, b_end) / math.dist(a, b)
        for words in (word for node in reversed(under) for word in _words(node)):
            if f"pinch {words}" in self.on:
                self.on[f"pinch {words}"](self)
                break

    def type(self, text: str) -> None:
        field = self._focused()
        if field is not None:
            old = field.get("text", "")
            field.set("text", old + ("•" * len(text) if field.get("password") == "true" else text))

    def key(self, code: int) -> None:
        field = self._focused()
        if code == BACK:
            self.leave()
        elif code == DELETE and field is not None:
            field.set("text", field.get("text", "")[:-1])
        elif code == ENTER and field is not None:
            field.set("text", field.get("text", "") + "\n")

    # -- inside ---------------------------------------------------------------------------------------------

    def _at(self, x: int, y: int) -> ET.Element | None:
        """The last one drawn there that can be touched."""
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
    """The thumb goes to the finger; its track has padding at both ends, as real ones have."""
    box = box_of(node)
    if box.height > 1.2 * box.width:
        part = (box.bottom - 1 - y) / max(1, box.height - 1)
    else:
        part = (x - box.left) / max(1, box.width - 1)
    value = round(100 * min(1.0, max(0.0, (part - PAD) / (1 - 2 * PAD))))
    node.set("content-desc", f"{value}%")


def _words(node: ET.Element) -> tuple[str, ...]:
    return tuple(
        word for word in (node.get("text"), node.get("content-desc"), node.get("resource-id")) if word
    )


def notes() -> LiveDump:
    """The small application of the contract suite, on a device."""

    def pick(colour: str) -> Handler:
        def chosen(app: LiveDump) -> None:
            app.leave()
            app.set("Colour", text=colour)

        return chosen

    app = LiveDump(
        NOTES,
        "org.example.notes/.Main",
        {
            "Save": lambda app: app.set("org.example.notes:id/status", text="Saved"),
            "Ask": lambda app: app.over(DIALOG),
            "Leave it": LiveDump.leave,
            "Colour": lambda app: app.over(OPTIONS),
            "Blue": pick("Blue"),
        },
    )
    app.on["Red"] = lambda app: app.over(OPTIONS) if not app._under else pick("Red")(app)

    def start(target: str) -> None:
        app._under.clear()
        app.show(OTHER if target.endswith("/.Other") else NOTES, target)

    app.start = start  # type: ignore[method-assign]
    return app
