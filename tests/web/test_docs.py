"""docs/page.md: the snippet runs as it stands."""

from __future__ import annotations

import asyncio
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest

import uiap

TEXT = (Path(__file__).parents[2] / "docs" / "page.md").read_text("utf-8")
ROWS = "".join(f"<tr><td>user-{n}</td><td><button>Delete</button></td></tr>" for n in range(30))


@pytest.mark.browser
def test_the_snippet_reads_the_changes_and_finds_a_folded_row(tmp_path: Path) -> None:
    page = tmp_path / "users.html"
    page.write_text(f"<title>Users</title><table aria-label=Users>{ROWS}</table>", "utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    body = textwrap.indent(code, "    ")
    names: dict[str, Any] = {"uiap": uiap}
    exec(f"async def main(url):\n{body}\n    return graph.outline(), found", names)
    outline, found = asyncio.run(names["main"](page.as_uri()))
    assert "user-0" in outline and "user-29" not in outline
    assert found[0].record is not None and found[0].record.endswith("user-7")
