"""Drive the same to-do list with one script on every framework, and compare each report with the model of the page.

Options: `--only=react,vue3` selects frameworks, `--turns=N` repeats the script. Builds the applications first if they
are missing (needs Node).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import uiap
from apps.frameworks import FRAMEWORKS, ensure_built, serving
from bench.table import Claim, show
from uiap.api.result import Result

SUMMARY = "one to-do script on builds of many frameworks, compared with the model of each page"
WORDS = (
    "Buy milk",
    "Call Ada",
    "Water the plants",
    "Pay the rent",
    "Écrire à Zoë",
    "Fix bike #2",
    "Tea & cake",
)
NEW = {"role": "textbox", "name": "What needs to be done?"}

Todos = list[tuple[str, bool]]


@dataclass(frozen=True)
class StepReport:
    """One step: its words, whether it was reported as done, whether the model agrees, and the error."""

    step: str
    claimed: bool
    true: bool
    error: str = ""

    @property
    def false(self) -> bool:
        return self.claimed and not self.true

    @property
    def good(self) -> bool:
        return self.claimed and self.true


@dataclass
class TodoScript:
    """The script of one turn, with the to-dos that the page should have after each step."""

    ui: uiap.Ui
    seed: int
    expected: Todos = field(default_factory=list)
    reports: list[StepReport] = field(default_factory=list)

    async def run(self) -> list[StepReport]:
        """Run all steps; stop at the first one that is not done."""
        first, second, third, renamed = random.Random(self.seed).sample(WORDS, 4)
        try:
            for title in (first, second, third):
                await self._add(title)
            await self._rename(second, renamed)
            await self._step(f"complete {first}", self._toggle(first))
            await self._step("show active", self._press(role="link", name="Active"), hidden=first)
            await self._step("show completed", self._press(role="link", name="Completed"), hidden=third)
            await self._step("show all", self._press(role="link", name="All"), shown=third)
            await self._remove(third)
            self.expected = [todo for todo in self.expected if not todo[1]]
            await self._step("clear completed", self._press(role="button", name="Clear completed"))
        except StopAsyncIteration:
            pass
        return self.reports

    async def _add(self, title: str) -> None:
        await self._step(f"type {title}", self._act("ui.enterText", **NEW, args={"text": title}))
        self.expected = [*self.expected, (title, False)]
        await self._step(f"add {title}", self._act("x.uiap.press", **NEW, args={"key": "Enter"}))

    async def _rename(self, before: str, after: str) -> None:
        await self._step(f"edit {before}", self._act("x.uiap.doubleActivate", text=before))
        box = {"ref": await self._edit_field()}
        await self._step(f"type {after}", self._act("ui.enterText", **box, args={"text": after}), model=False)
        self.expected = [(after if title == before else title, done) for title, done in self.expected]
        await self._step(f"rename to {after}", self._act("x.uiap.press", **box, args={"key": "Enter"}))

    async def _edit_field(self) -> str:
        found = [one for one in await self.ui.find("", role="textbox") if one.name != NEW["name"]]
        if len(found) != 1:
            self._report("find the edit field", False, False, f"{len(found)} fields")
        return found[0].instance_id

    def _toggle(self, title: str) -> Awaitable[Result]:
        self.expected = [(one, done or one == title) for one, done in self.expected]
        return self._act("ui.toggle", role="checkbox", near=title)

    async def _remove(self, title: str) -> None:
        await self._step(f"point at {title}", self._act("ui.hover", text=title))
        self.expected = [todo for todo in self.expected if todo[0] != title]
        await self._step(f"remove {title}", self._act("ui.activate", role="button", near=title))

    def _press(self, **target: str) -> Awaitable[Result]:
        return self._act("ui.activate", **target)

    async def _act(self, action: str, **request: Any) -> Result:
        return await self.ui.act(action, **request)

    async def _step(
        self,
        words: str,
        acting: Awaitable[Result],
        *,
        model: bool = True,
        hidden: str | None = None,
        shown: str | None = None,
    ) -> None:
        """Do one step and compare the model; `model=False` if the draft may already be in it."""
        try:
            result = await acting
            error = f"{result.error.code}: {result.error.message}" if result.error is not None else ""
        except (uiap.UiapError, LookupError) as refused:
            error = repr(refused)
        true = (not model or await self._model() == self.expected) and await self._is_shown(hidden, shown)
        self._report(words, not error, true, error)

    async def _is_shown(self, hidden: str | None, shown: str | None) -> bool:
        text = str(await self.ui.evaluate(TEXT)) if hidden or shown else ""
        return (hidden is None or hidden not in text) and (shown is None or shown in text)

    async def _model(self) -> Todos:
        todos = await self.ui.evaluate("Promise.resolve(todos())")
        return [(one["title"], bool(one["completed"])) for one in todos]

    def _report(self, words: str, claimed: bool, true: bool, error: str) -> None:
        self.reports.append(StepReport(words, claimed, true, error))
        if not self.reports[-1].good:
            raise StopAsyncIteration


TEXT = """(() => { const text = (node) => [...node.childNodes].map((one) => one.nodeType === 3 ? one.data
  : one.nodeType !== 1 || !one.checkVisibility() ? '' : text(one.shadowRoot ?? one)).join(' ')
  return text(document.body) })()"""
"""The visible text of the page, with that of open shadow roots."""

STEPS = 16
"""The steps of the script: three to-dos, an edit, a toggle, three filters, a deletion, and clearing."""


async def turns(
    frameworks: tuple[str, ...], seeds: range, report: Callable[[str, int, list[StepReport]], None]
) -> None:
    """Run the script with each seed on each framework, and report the steps of every turn."""
    with serving() as server:
        async with uiap.open(server.url) as ui:
            for name in frameworks:
                for seed in seeds:
                    (await ui.navigate(server.todo(name))).check()
                    report(name, seed, await TodoScript(ui, seed).run())


def run(*options: str) -> bool:
    chosen = dict(option.removeprefix("--").split("=", 1) for option in options)
    ensure_built()
    only = chosen.get("only", "").split(",")
    names = tuple(name for name in FRAMEWORKS if only == [""] or name in only)
    seeds = range(int(chosen.get("turns", "3")))
    done: dict[str, list[list[StepReport]]] = {name: [] for name in names}

    def report(name: str, seed: int, steps: list[StepReport]) -> None:
        done[name].append(steps)
        last = steps[-1]
        if not last.good:
            print(f"  {name} turn {seed}: {last.step}: {'CLAIMED' if last.false else last.error}")

    begun = time.perf_counter()
    asyncio.run(turns(names, seeds, report))
    rows: list[tuple[str, ...]] = [("framework", "turns", "completed", "false successes")]
    for name, made in done.items():
        completed = sum(all(step.good for step in steps) and len(steps) == STEPS for steps in made)
        rows.append((name, *map(str, (len(made), completed, sum(s.false for steps in made for s in steps)))))
    whole = sum(row[1] == row[2] for row in rows[1:])
    false = sum(int(row[3]) for row in rows[1:])
    claims = [
        Claim(f"{whole} of {len(names)} frameworks in every turn", whole == len(names)),
        Claim(f"{false} steps claimed although not true (none allowed)", false == 0),
    ]
    return show(f"{len(names)} frameworks in {time.perf_counter() - begun:.0f} s", rows, claims)
