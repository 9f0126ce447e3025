"""docs/actions.md lists every action with its arguments, and its snippets run."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

import uiap
from apps.hazards import serving
from uiap.actions.primitive import Primitive
from uiap.actions.registry import ACTIONS

TEXT = (Path(__file__).parents[2] / "docs" / "actions.md").read_text("utf-8")
ROWS = {
    row[0].strip("` "): row
    for line in TEXT.splitlines()
    if line.startswith("| `") and (row := [cell.strip() for cell in line.strip("|").split("|")])
}


def test_every_action_has_its_row_and_no_other() -> None:
    assert list(ROWS) and set(ROWS) == set(ACTIONS)


@pytest.mark.parametrize("primitive", ACTIONS.values(), ids=ACTIONS)
def test_a_row_names_the_arguments(primitive: Primitive) -> None:
    names = re.findall(r"`(\w+)`", ROWS[primitive.id][1])
    assert set(names) == {argument.name for argument in primitive.args}


@pytest.mark.browser
def test_the_snippets_of_the_page_run() -> None:
    async def main() -> dict[str, Any]:
        with serving() as server:
            async with uiap.open(server.page("widgets")) as ui:
                names: dict[str, Any] = {}
                for snippet in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
                    body = "".join(f"    {line}\n" for line in snippet.splitlines())
                    exec(f"async def shown(ui):\n{body}    return locals()", names)
                    names |= await names["shown"](ui)
                return {**names, "truth": await ui.evaluate("({...__truth})")}

    seen = asyncio.run(main())
    assert seen["result"].metadata["gesture"]["within_tolerance"] is True
    truth = {key: seen["truth"][key] for key in ("fruit", "toppings", "chord", "dropped")}
    assert truth == {"fruit": "Pear", "toppings": "Olives,Corn", "chord": "ctrl+k", "dropped": "shelf:card"}
