"""The snippets of docs/runtime.md run as they stand, on the example application."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

import uiap
from apps.videoland import Settings, serving
from uiap.cli import skill

WAITING = "Look first, then wait for what the page shows; never wait for a time."
TEXT = (Path(__file__).parents[2] / "docs" / "runtime.md").read_text("utf-8")


@pytest.mark.browser
@pytest.mark.requirement("MDM-R3e")
def test_expect_wait_and_trace_work_as_documented(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    waiting, traces = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)

    async def run(ui: uiap.Ui) -> None:
        names: dict[str, object] = {"uiap": uiap, "ui": ui, "Path": Path}
        for snippet in (traces, waiting):
            body = "".join(f"    {line}\n" for line in snippet.splitlines())
            exec(f"async def shown(ui):\n{body}    return locals()", names)
            names.update(await names["shown"](ui))  # type: ignore[operator]
        assert names["seen"] and names["later"]
        assert "since" not in str(names["later"]) and names["later"].changed  # type: ignore[attr-defined]

    async def main() -> None:
        with serving(Settings(rows=5, truth=True, auto_login=True)) as server:
            async with uiap.open(f"{server.url}/videos/new?as=admin&lang=en") as ui:
                await run(ui)

    asyncio.run(main())
    page = (tmp_path / "trace.html").read_text("utf-8")
    assert "ui.enterText" in page and "Before and after" in page


@pytest.mark.requirement("MDM-R3e")
def test_no_snippet_waits_for_a_fixed_time() -> None:
    assert WAITING in TEXT


@pytest.mark.requirement("MDM-R3e")
def test_the_skill_file_says_to_wait_for_what_the_page_shows() -> None:
    assert WAITING in skill.SKILL
