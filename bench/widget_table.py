"""The table of widgets and primitives in docs/actions.md, made from the figures of `python -m bench tasks`.

The figures of each task are kept in docs/reports/widgets.json, so that a part of the tasks can be measured again.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from apps.tasks import Task

ROOT = Path(__file__).parents[1]
FIGURES = ROOT / "docs" / "reports" / "widgets.json"
PAGE = ROOT / "docs" / "actions.md"
_BLOCK = re.compile(r"(<!-- widgets: made by `make widgets` -->\n).*?(<!-- end of widgets -->)", re.DOTALL)

Figures = dict[str, list[int]]
"""Of each task: attempts as expected, all attempts, and false successes."""


def read_figures() -> Figures:
    figures: Figures = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    return figures


COLUMNS: dict[str, tuple[str, ...]] = {
    "press": ("ui.activate", "ui.submit", "ui.focus", "x.uiap.doubleActivate", "x.uiap.secondaryActivate"),
    "type": ("ui.enterText", "ui.clearText"),
    "choose": ("ui.choose",),
    "set value": ("ui.setValue",),
    "toggle": ("ui.toggle",),
    "open, close": ("ui.expand", "ui.collapse", "ui.open", "ui.close"),
    "key": ("x.uiap.press",),
    "drag, scroll": ("x.uiap.drag", "ui.scroll"),
    "upload": ("ui.upload",),
}
"""The columns of the table and the primitives that each counts."""


def table(figures: Mapping[str, list[int]], tasks: Iterable[Task]) -> str:
    """Return the table: for each library and kind of primitive the attempts as expected. A list names the others."""
    libraries: defaultdict[str, list[Task]] = defaultdict(list)
    measured = [task for task in tasks if task.id in figures]
    for task in measured:
        libraries[task.family].append(task)
    lines = [f"| library | {' | '.join(COLUMNS)} |", f"|---|{'---|' * len(COLUMNS)}"]
    for library, mine in sorted(libraries.items(), key=lambda item: item[0].lower()):
        lines.append(f"| {library} | {' | '.join(_cell(figures, mine, acts) for acts in COLUMNS.values())} |")
    false = sum(figures[task.id][2] for task in measured)
    return "\n".join([*lines, "", f"False successes: {false}.", *_failed(figures, measured)]) + "\n"


def _cell(figures: Mapping[str, list[int]], tasks: list[Task], acts: tuple[str, ...]) -> str:
    """Return `2 of 3` for the tasks with one of these primitives, in bold if not all were as expected."""
    mine = [figures[task.id] for task in tasks if _acts(task) & set(acts)]
    good, all_ = sum(one[0] for one in mine), sum(one[1] for one in mine)
    text = f"{good} of {all_}" if all_ else ""
    return text if good == all_ else f"**{text}**"


def _failed(figures: Mapping[str, list[int]], tasks: list[Task]) -> list[str]:
    """Return a list of the tasks with attempts that were not as expected, or nothing."""
    failed = [task for task in tasks if figures[task.id][0] < figures[task.id][1]]
    items = [f"- {task.family} (`{task.id}`): {task.say}" for task in sorted(failed, key=lambda one: one.id)]
    return ["", "Not as expected:", "", *items] if items else []


def _acts(task: Task) -> set[str]:
    """Return the primitives of a task, without the button at its end that saves."""
    steps = task.steps[:-1] if len(task.steps) > 1 and task.steps[-1]["act"] == "ui.activate" else task.steps
    return {step["act"] for step in steps}


def with_table(page: str, content: str) -> str:
    """Return the page with this table in its block."""
    return _BLOCK.sub(lambda block: block[1] + content + block[2], page)


def write(measured: Figures, tasks: tuple[Task, ...]) -> None:
    """Store the figures of these tasks next to those of the others, and write the table."""
    known = {task.id for task in tasks}
    figures = {id: one for id, one in {**read_figures(), **measured}.items() if id in known}
    lines = ",\n".join(f"  {json.dumps(id)}: {json.dumps(one)}" for id, one in sorted(figures.items()))
    FIGURES.write_text(f"{{\n{lines}\n}}\n")
    PAGE.write_text(with_table(PAGE.read_text(), table(figures, tasks)))
