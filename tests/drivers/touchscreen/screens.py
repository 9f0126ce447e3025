"""Synthetic dumps, written by hand, for cases without a recording."""

from __future__ import annotations

from collections.abc import Sequence

from uiap.drivers.touchscreen.elements import ScreenLayout
from uiap.drivers.touchscreen.graph import ForegroundApp, build_graph
from uiap.drivers.touchscreen.hierarchy import parse
from uiap.drivers.touchscreen.identity import NodeRegistry
from uiap.graph.store import Applied, GraphStore
from uiap.spec.versions import ANDROID_PROFILE
from uiap.spec.web import ElementNode, PageGraph

NOW = "2026-01-01T00:00:00Z"


def node(cls: str, *inner: str, bounds: Sequence[int] = (0, 0, 100, 50), **attributes: str) -> str:
    left, top, right, bottom = bounds
    attributes = {"index": "0", "enabled": "true", "package": "org.example", **attributes}
    rendered = " ".join(
        f'{name.replace("_", "-")}="{value}"' for name, value in attributes.items() if name != "cls"
    )
    bounds_attribute = f'bounds="[{left},{top}][{right},{bottom}]"'
    return f'<node class="android.widget.{cls}" {rendered} {bounds_attribute}>{"".join(inner)}</node>'


def screen(*inner: str, rotation: int = 0, bounds: Sequence[int] = (0, 0, 1080, 2400)) -> str:
    return f'<hierarchy rotation="{rotation}">{node("FrameLayout", *inner, bounds=bounds)}</hierarchy>'


def row(name: str, top: int, *, action: str = "Delete") -> str:
    return node(
        "LinearLayout",
        node("TextView", text=name, bounds=(0, top, 500, top + 100)),
        node("Button", text=action, clickable="true", bounds=(600, top, 900, top + 100), index="1"),
        bounds=(0, top, 1080, top + 100),
        index=str(top // 100),
    )


def rows(*names: str, top: int = 0) -> str:
    page = [row(name, top + index * 100) for index, name in enumerate(names)]
    return screen(node("RecyclerView", *page, bounds=(0, 0, 1080, 2400), scrollable="true"))


class SnapshotReader:
    """Reads one screen after another, as the driver does."""

    def __init__(self) -> None:
        self.registry = NodeRegistry("d1e")
        self.layout = ScreenLayout(parse("<hierarchy/>"))
        self._seq = 0

    def __call__(self, xml: str, size: tuple[int, int] | None = None) -> PageGraph:
        self.layout = ScreenLayout(parse(xml), size)
        self._seq += 1
        ids = self.registry.assign_ids(self.layout)
        page = build_graph(
            self.layout,
            ids,
            profile=ANDROID_PROFILE,
            url="android:org.example",
            foreground=ForegroundApp("org.example"),
            seq=self._seq,
            now=NOW,
        )
        assert isinstance(GraphStore().load(page), Applied)
        return page


def graph(xml: str, size: tuple[int, int] | None = None) -> PageGraph:
    return SnapshotReader()(xml, size)


def only(page: PageGraph, role: str, name: str | None = None) -> ElementNode:
    found = [one for one in page.elements if one.role == role and (name is None or one.name == name)]
    assert len(found) == 1, [(one.role, one.name) for one in page.elements]
    return found[0]
