"""The chain by documented commands, on an application that nobody prepared: the documentation server of Python."""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import uiap
from uiap.cli.main import main

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]
FORM = "action:candidate.keywords-html.get"


@pytest.fixture
def documentation() -> Iterator[str]:
    """Serve the documentation of Python with `python -m pydoc`, which has no annotations and forms without labels."""
    command = [sys.executable, "-u", "-m", "pydoc", "-p", "0"]
    server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        lines = iter(server.stdout.readline, "")
        yield next(found[0] for line in lines if (found := re.search(r"http://[\w.:]+/", line)))
    finally:
        server.kill()
        server.communicate()


@pytest.mark.requirement("RUN-41", "RUN-37")
def test_an_application_that_nobody_prepared_is_explored_reviewed_built_and_acted_on(
    documentation: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = f"{documentation}keywords.html"
    bounds = ("--max-states", "1", "--max-transitions", "1", "--no-ax", "--no-sitemap")
    for command in (
        ("discover", page, *bounds, "--out", "found"),
        (
            "review",
            "found",
            "--accept-where",
            "kind=element",
            "--accept",
            FORM,
            "--rename",
            f"{FORM}=topic.get",
        ),
        ("init", "app", "--app", "python", "--from-discovery", "found/reviewed.json"),
        ("build", "app", "--channel", "dev", "--out", "app.json"),
    ):
        assert main(list(command)) == 0, command
    assert asyncio.run(_look_up(page, "lambda")) == "Pydoc: KEYWORD lambda"


async def _look_up(page: str, topic: str) -> object:
    async with uiap.open(page, bundle="app.json") as ui:
        done = await ui.act("topic.get", args={"textbox": topic})
        assert done.ok, done.payload.error
        return (await ui.observe()).payload.route.title
