"""The terminal and the report say which limits ended a run, what is left, and which option raises each."""

from __future__ import annotations

import pytest

from tests.discovery.simulated_app import Element, Page, explore
from uiap.discovery.report.limits_line import limits_line
from uiap.discovery.report.report import html_report

LINKS = [Element("link", f"Page {word}", href=f"/{word}") for word in ("lamps", "chairs", "doors")]
PAGES = {"/": Page(LINKS), **{f"/{word}": Page(title=word) for word in ("lamps", "chairs", "doors")}}


def test_a_run_that_reached_no_limit_has_nothing_left() -> None:
    assert limits_line(explore(PAGES)[0]) == "limits reached: none; nothing is left to try"


@pytest.mark.parametrize(
    ("limit", "line"),
    [
        ({"max_states": 3}, "limits reached: states (1 action left, raise --max-states)"),
        ({"max_depth": 0}, "limits reached: depth (3 actions left, raise --max-depth)"),
    ],
)
def test_a_reached_limit_is_named_with_what_it_left(limit: dict[str, int], line: str) -> None:
    package = explore(PAGES, **limit)[0]
    assert limits_line(package) == line and line in html_report(package)
