"""Gestures on a screen that is read after each of them: a report says only what was read."""

from __future__ import annotations

from typing import Any, cast

import pytest

from uiap.actions.ops import Guard, Holds, Scroll, ScrollIntoView
from uiap.drivers.driver import PerformRefused
from uiap.drivers.touchscreen.elements import ScreenElement, ScreenLayout
from uiap.drivers.touchscreen.hierarchy import parse
from uiap.drivers.touchscreen.perform import MAX_SWIPES, ScreenView, TouchGestures
from uiap.drivers.touchscreen.touch_input import TouchInput


def layout(*rows: tuple[str, int], field: str | None = None) -> ScreenLayout:
    """Return a screen of 100 by 200 pixels with a list; each row has a name and a top edge."""
    items = "".join(
        f'<node class="android.widget.Button" text="{name}" clickable="true" bounds="[0,{top}][100,{top + 40}]"/>'
        for name, top in rows
    )
    if field is not None:
        items += f'<node class="android.widget.EditText" text="{field}" clickable="true" bounds="[0,160][100,190]"/>'
    shown = f'<node class="android.widget.ListView" scrollable="true" bounds="[0,0][100,200]">{items}</node>'
    return ScreenLayout(parse(f'<hierarchy rotation="0">{shown}</hierarchy>'), (100, 200))


class Screen:
    """Shows one layout after the other; the last one stays."""

    def __init__(self, *layouts: ScreenLayout) -> None:
        self._layouts = list(layouts)
        self.swipes = 0

    @property
    def layout(self) -> ScreenLayout:
        return self._layouts[0]

    async def reread(self) -> ScreenLayout:
        if len(self._layouts) > 1:
            del self._layouts[0]
        return self.layout

    def element_by_id(self, ref: str) -> ScreenElement | None:
        return next((one for one in self.layout.elements.values() if one.node.text.startswith(ref)), None)

    async def swipe(self, *_path: Any) -> None:
        self.swipes += 1


async def perform(screen: Screen, op: Any) -> Any:
    return await TouchGestures(cast(TouchInput, screen), cast(ScreenView, screen), None).perform(op)


def into_view(name: str) -> ScrollIntoView:
    return ScrollIntoView(guard=Guard(node=name))


async def test_an_element_that_comes_into_view_is_scrolled_to() -> None:
    screen = Screen(layout(("Far", 400)), layout(("Far", 210)), layout(("Far", 100)))
    assert await perform(screen, into_view("Far")) == {}
    assert screen.swipes == 2


async def test_scrolling_stops_and_fails_at_the_end_of_the_list() -> None:
    screen = Screen(layout(("Far", 400)), layout(("Near", 0), ("Far", 300)))
    report = await perform(screen, into_view("Far"))
    assert report["held"] is False and "end" in report["why"]
    assert screen.swipes == 2


async def test_a_list_that_never_shows_the_element_is_given_up_after_a_bounded_number_of_swipes() -> None:
    moving = [layout(("Row", number % 7), ("Far", 400)) for number in range(MAX_SWIPES + 5)]
    screen = Screen(*moving)
    report = await perform(screen, into_view("Far"))
    assert report["held"] is False and str(MAX_SWIPES) in report["why"]
    assert screen.swipes == MAX_SWIPES


@pytest.mark.parametrize(("after", "held"), [(layout(("Row", 50)), True), (layout(("Row", 0)), False)])
async def test_a_scroll_is_reported_only_if_the_screen_moved(after: ScreenLayout, held: bool) -> None:
    report = await perform(Screen(layout(("Row", 0)), after), Scroll(guard=None, dy=100))
    assert report["held"] is held


@pytest.mark.parametrize(
    ("after", "reason"),
    [(layout(field="Hello"), None), (layout(field="Hello you"), "invalid"), (layout(), "gone")],
)
async def test_a_text_is_compared_with_the_screen_as_it_is_now(
    after: ScreenLayout, reason: str | None
) -> None:
    outcome = await perform(
        Screen(layout(field="Hello"), after), Holds(guard=Guard(node="Hello"), text="Hello")
    )
    if reason is None:
        assert outcome == {}
    else:
        assert isinstance(outcome, PerformRefused) and outcome.reason == reason
