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


def table(figures: Mapping[str, list[int]], tasks: Iterable[Task]) -> str:
    """Return the table: for each library its primitives, with the attempts that ended as expected."""
    libraries: defaultdict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        if task.id in figures:
            libraries[task.family].append(task)
    lines = ["| library | primitives: attempts as expected | false successes |", "|---|---|---|"]
    for library, mine in sorted(libraries.items(), key=lambda item: item[0].lower()):
        false = sum(figures[task.id][2] for task in mine)
        lines.append(f"| {library} | {_primitives(figures, mine)} | {false} |")
    return "\n".join(lines) + "\n"


def _primitives(figures: Mapping[str, list[int]], tasks: list[Task]) -> str:
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for task in tasks:
        for act in _acts(task):
            counts[act][0] += figures[task.id][0]
            counts[act][1] += figures[task.id][1]
    return ", ".join(f"`{act}` {good} of {all_}" for act, (good, all_) in sorted(counts.items()))


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
