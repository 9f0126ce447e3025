"""Parse the page source of an Appium session into a UI hierarchy. Pure.

UiAutomator2 writes the attributes of a dump, with the class as the tag. The classes of XCUITest are translated into
Android's, so that later steps know one vocabulary; `type` keeps the original class. Of other platforms, only the
simplest attributes are used.
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
"""They take all touches; elements behind them cannot be reached."""
SYSTEM_PARTS = frozenset({"Keyboard", "StatusBar"})
"""Their parts are no elements: a changed clock is not an effect of an action."""


class PageSource(NamedTuple):
    """A parsed page source."""

    hierarchy: Hierarchy
    application: str = ""
    """The name of the application, if the source contains it."""
    keyboard_shown: bool = False


def parse_source(text: str) -> PageSource:
    """Parse a page source; raise `BadDump` for anything else."""
    if "<hierarchy" in text:
        return PageSource(_with_paths(parse(text)))
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise BadDump("the page source declares a document type, which is not allowed")
    try:
        top = ET.fromstring(text.strip().encode())
    except ET.ParseError as error:
        raise BadDump(f"the page source cannot be parsed: {error}") from error
    apps = [one for one in (top, *top) if one.tag == f"{IOS_PREFIX}Application"]
    return _ios_source(apps[0]) if apps else _generic_source(top)


def _with_paths(hierarchy: Hierarchy) -> Hierarchy:
    for number, root in enumerate(hierarchy.roots, 1):
        root.path = f"/hierarchy/*[{number}]"
        for node in root.walk():  # parents come first
            for position, child in enumerate(node.children, 1):
                child.path = f"{node.path}/*[{position}]"
    return hierarchy


def _ios_source(application: ET.Element) -> PageSource:
    root = _build_tree(application, f"/{application.tag}", _ios_node)
    front = [
        node
        for node in root.walk()
        if _ios_type(node) in IN_FRONT and node.extra_attributes.get("visible-to-user") != "false"
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


def _build_tree(element: ET.Element, path: str, make_node: Callable[[ET.Element, bool], Node]) -> Node:
    """Build the tree without recursion, because an application may nest its views arbitrarily deep."""
    root = make_node(element, False)
    root.path = path
    pending = [(element, root, False)]
    while pending:
        source, node, is_system = pending.pop()
        is_system = is_system or source.tag.removeprefix(IOS_PREFIX) in SYSTEM_PARTS
        for position, child in enumerate(source, 1):
            child_node = make_node(child, is_system)
            child_node.parent, child_node.index, child_node.path = (
                node,
                position - 1,
                f"{node.path}/*[{position}]",
            )
            node.children.append(child_node)
            pending.append((child, child_node, is_system))
    return root


def _ios_node(element: ET.Element, is_system: bool) -> Node:
    get, kind = element.get, element.tag.removeprefix(IOS_PREFIX)
    label, name, value = get("label", ""), get("name", ""), get("value", "")
    flags = {flag for flag in ("enabled", "selected", "focused") if get(flag) == "true"}
    flags |= {"clickable"} if kind in CLICKABLE else set()
    flags |= {"checkable"} if kind in CHECKABLE else set()
    flags |= {"checked"} if kind in CHECKABLE and value in ("1", "true") else set()
    flags |= {"scrollable"} if kind in SCROLLABLE else set()
    flags |= {"password"} if kind == "SecureTextField" else set()
    extra = {"type": element.tag, "visible-to-user": get("visible", ""), "hint": get("placeholderValue", "")}
    if is_system:
        return _node("View", _box(element, "x", "y"), {"enabled"}, extra={"type": element.tag})
    return _node(
        ANDROID_CLASSES.get(kind, "View"),
        _box(element, "x", "y"),
        flags,
        text="" if kind in CHECKABLE else value,
        description="" if kind in ("Application", "Window") else label or name,
        resource_id=name if name != label else "",
        extra={name: text for name, text in extra.items() if text},
    )


def _generic_node(element: ET.Element, _is_system: bool) -> Node:
    """Build a node from the end of its tag and from attributes that most platforms have."""
    get = element.get
    suffixes = {"InputField": "EditText", "TextField": "EditText", "Button": "Button", "Image": "ImageView"}
    cls = next((cls for suffix, cls in suffixes.items() if element.tag.endswith(suffix)), element.tag)
    label = next((get(name, "") for name in ("label", "name", "text", "Name", "id") if get(name)), "")
    flags = {"enabled"} if get("enabled", "true") != "false" else set()
    flags |= {"clickable"} if cls == "Button" else set()
    left = "x" if "x" in element.attrib else "left"
    extra = {"type": element.tag, "visible-to-user": get("visible", "")}
    return _node(
        cls,
        _box(element, left, "y" if left == "x" else "top"),
        flags,
        text=get("value", "") if cls == "EditText" else "",
        description=label,
        resource_id=get("id", ""),
        extra={name: text for name, text in extra.items() if text},
    )


def _node(
    cls: str,
    box: ScreenBounds,
    flags: Iterable[str],
    *,
    text: str = "",
    description: str = "",
    resource_id: str = "",
    extra: Mapping[str, str],
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
        extra_attributes=extra,
    )


def _box(element: ET.Element, left: str, top: str) -> ScreenBounds:
    x, y, width, height = (_number(element.get(name, "")) for name in (left, top, "width", "height"))
    return ScreenBounds(x, y, x + width, y + height)


def _number(text: str) -> int:
    try:
        return round(float(text))
    except (ValueError, OverflowError):
        return 0


def _ios_type(node: Node) -> str:
    return node.extra_attributes.get("type", "").removeprefix(IOS_PREFIX)
