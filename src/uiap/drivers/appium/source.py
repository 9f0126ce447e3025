"""The page source of an Appium session as a UI hierarchy. Pure.

UiAutomator2 writes what a dump says, with the class as the tag. XCUITest's words are said in Android's, so that what
follows needs to know one language; the own word stays in `type`. Of any other platform only the plainest is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree as ET

from uiap.drivers.touchscreen.hierarchy import BadDump, Hierarchy, Node, ScreenBounds, parse

IOS_PREFIX = "XCUIElementType"
ANDROID_CLASSES: Mapping[str, str] = MappingProxyType(
    {
        "ActivityIndicator": "ProgressBar",
        "Button": "Button",
        "CheckBox": "CheckBox",
        "CollectionView": "RecyclerView",
        "DatePicker": "DatePicker",
        "Icon": "Button",
        "Image": "ImageView",
        "Link": "Link",
        "NavigationBar": "Toolbar",
        "PickerWheel": "NumberPicker",
        "PopUpButton": "Button",
        "ProgressIndicator": "ProgressBar",
        "RadioButton": "RadioButton",
        "SearchField": "EditText",
        "SecureTextField": "EditText",
        "Slider": "SeekBar",
        "StaticText": "TextView",
        "Switch": "Switch",
        "Tab": "Tab",
        "TabBar": "TabLayout",
        "Table": "RecyclerView",
        "TextField": "EditText",
        "TextView": "EditText",
        "Toggle": "Switch",
        "ToolBar": "Toolbar",
        "WebView": "WebView",
    }
)
CLICKABLE = frozenset({"Button", "Cell", "CheckBox", "Icon", "Key", "Link", "MenuItem", "PopUpButton", "RadioButton",
                     "Switch", "Tab", "Toggle"})  # fmt: skip
CHECKABLE = frozenset({"CheckBox", "RadioButton", "Switch", "Toggle"})
SCROLLABLE = frozenset({"CollectionView", "ScrollView", "Table"})
IN_FRONT = frozenset({"Alert", "Sheet"})
"""They take all touches; what lies behind them cannot be reached."""
SYSTEM_PARTS = frozenset({"Keyboard", "StatusBar"})
"""Their own parts are no elements: a clock that changes is no effect."""


class PageSource(NamedTuple):
    hierarchy: Hierarchy
    application: str = ""
    """What it calls itself, where the source says so."""
    keyboard: bool = False


def parse_source(text: str) -> PageSource:
    """BadDump for anything that is no page source."""
    if "<hierarchy" in text:
        return PageSource(_with_paths(parse(text)))
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadDump("a page source has no document type")
    try:
        top = ET.fromstring(text.strip().encode())
    except ET.ParseError as error:
        raise BadDump(f"the page source cannot be read: {error}") from error
    apps = [one for one in (top, *top) if one.tag == f"{IOS_PREFIX}Application"]
    return _ios_source(apps[0]) if apps else _generic_source(top)


def _with_paths(hierarchy: Hierarchy) -> Hierarchy:
    for place, root in enumerate(hierarchy.roots, 1):
        root.path = f"/hierarchy/*[{place}]"
        for node in root.walk():  # parents come first
            for below, child in enumerate(node.children, 1):
                child.path = f"{node.path}/*[{below}]"
    return hierarchy


def _ios_source(application: ET.Element) -> PageSource:
    root = _build_tree(application, f"/{application.tag}", _ios_node)
    front = [
        node
        for node in root.walk()
        if _ios_type(node) in IN_FRONT and node.more.get("visible-to-user") != "false"
    ]
    keyboard = any(_ios_type(node) == "Keyboard" for node in root.walk())
    roots = (root,)
    if front:
        roots = (front[-1],)
        front[-1].parent, front[-1].resource_id = None, "ios/alertTitle"
    return PageSource(Hierarchy(0, roots), application.get("name", ""), keyboard)


def _generic_source(top: ET.Element) -> PageSource:
    root = _build_tree(top, f"/{top.tag}", _generic_node)
    boxes = [node.bounds for node in root.walk()]
    root.bounds = ScreenBounds(0, 0, max(one.right for one in boxes), max(one.bottom for one in boxes))
    return PageSource(Hierarchy(0, (root,)), top.get("name", ""))


def _build_tree(element: ET.Element, path: str, made: Callable[[ET.Element, bool], Node]) -> Node:
    """Without recursion: what an application nests is its own affair."""
    root = made(element, False)
    root.path = path
    todo = [(element, root, False)]
    while todo:
        from_, node, foreign = todo.pop()
        foreign = foreign or from_.tag.removeprefix(IOS_PREFIX) in SYSTEM_PARTS
        for place, child in enumerate(from_, 1):
            below = made(child, foreign)
            below.parent, below.index, below.path = node, place - 1, f"{node.path}/*[{place}]"
            node.children.append(below)
            todo.append((child, below, foreign))
    return root


def _ios_node(element: ET.Element, foreign: bool) -> Node:
    get, kind = element.get, element.tag.removeprefix(IOS_PREFIX)
    label, name, value = get("label", ""), get("name", ""), get("value", "")
    flags = {flag for flag in ("enabled", "selected", "focused") if get(flag) == "true"}
    flags |= {"clickable"} if kind in CLICKABLE else set()
    flags |= {"checkable"} if kind in CHECKABLE else set()
    flags |= {"checked"} if kind in CHECKABLE and value in ("1", "true") else set()
    flags |= {"scrollable"} if kind in SCROLLABLE else set()
    flags |= {"password"} if kind == "SecureTextField" else set()
    more = {"type": element.tag, "visible-to-user": get("visible", ""), "hint": get("placeholderValue", "")}
    if foreign:
        return _node("View", _box(element, "x", "y"), {"enabled"}, more={"type": element.tag})
    return _node(
        ANDROID_CLASSES.get(kind, "View"),
        _box(element, "x", "y"),
        flags,
        text="" if kind in CHECKABLE else value,
        description="" if kind in ("Application", "Window") else label or name,
        resource_id=name if name != label else "",
        more={word: said for word, said in more.items() if said},
    )


def _generic_node(element: ET.Element, _foreign: bool) -> Node:
    """By the end of its tag, and by attributes that most platforms have."""
    get = element.get
    words = {"InputField": "EditText", "TextField": "EditText", "Button": "Button", "Image": "ImageView"}
    cls = next((cls for word, cls in words.items() if element.tag.endswith(word)), element.tag)
    said = next((get(word, "") for word in ("label", "name", "text", "Name", "id") if get(word)), "")
    flags = {"enabled"} if get("enabled", "true") != "false" else set()
    flags |= {"clickable"} if cls == "Button" else set()
    left = "x" if "x" in element.attrib else "left"
    more = {"type": element.tag, "visible-to-user": get("visible", "")}
    return _node(
        cls,
        _box(element, left, "y" if left == "x" else "top"),
        flags,
        text=get("value", "") if cls == "EditText" else "",
        description=said,
        resource_id=get("id", ""),
        more={word: value for word, value in more.items() if value},
    )


def _node(
    cls: str,
    box: ScreenBounds,
    flags: Iterable[str],
    *,
    text: str = "",
    description: str = "",
    resource_id: str = "",
    more: Mapping[str, str],
) -> Node:
    return Node(
        index=0,
        text=text,
        resource_id=resource_id,
        cls=cls,
        package="",
        description=description,
        flags=frozenset(flags),
        bounds=box,
        more=more,
    )


def _box(element: ET.Element, left: str, top: str) -> ScreenBounds:
    x, y, width, height = (_number(element.get(name, "")) for name in (left, top, "width", "height"))
    return ScreenBounds(x, y, x + width, y + height)


def _number(word: str) -> int:
    try:
        return round(float(word))
    except (ValueError, OverflowError):
        return 0


def _ios_type(node: Node) -> str:
    return node.more.get("type", "").removeprefix(IOS_PREFIX)
