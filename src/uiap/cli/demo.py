"""`uiap demo`: show the product in one minute, step by step, on the example application."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import uiap
from uiap.api.result import Result
from uiap.cli.demo_knowledge import show_knowledge
from uiap.cli.demo_site import server_truth, set_knob
from uiap.cli.demo_workflow import show_workflows
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.graph.outline import token_count


@click.command(help="Show the product in one minute, on the example application (needs a checkout).")
@click.option("--keep", is_flag=True, help="Leave the application and a browser open to try things.")
@json_option
def command(keep: bool, as_json: bool) -> int:
    with _videoland() as url:
        demo = DemoRun(url, quiet=as_json)
        failed = asyncio.run(demo.run_in_python())
        failed = _run_in_shell(demo, url) or failed
        failed = _learn_in_shell(demo) or failed
        demo.print("Done." if not failed else "A check failed; see the ✗ above.")
        if keep and not failed:
            _leave_open(url)
        if as_json:
            print_json({"passed": not failed, "steps": demo.steps})
    return 1 if failed else 0


@contextmanager
def _videoland(*, annotated: bool = True) -> Iterator[str]:
    root = next((p for p in (Path.cwd(), *Path.cwd().parents) if (p / "apps" / "videoland").is_dir()), None)
    if root is None:
        raise Unavailable("the demo needs a checkout of uiap; clone the repository and run: make demo")
    sys.path.insert(0, str(root))
    from apps.videoland import Settings, serving  # type: ignore[import-not-found, unused-ignore]
    from apps.videoland.plain import WithoutAnnotations  # type: ignore[import-not-found, unused-ignore]

    more = {} if annotated else {"wrap": WithoutAnnotations}
    with serving(Settings(rows=40, truth=True, auto_login=True), **more) as server:
        yield server.url


class DemoRun:
    """Prints numbered steps and runs their checks; `failed` is true after a check failed."""

    def __init__(self, url: str, *, quiet: bool = False) -> None:
        self.url, self._quiet = url, quiet
        self.failed = False
        self.steps: list[dict[str, Any]] = []
        """The steps with their checks, for `--json`."""

    def step(self, title: str) -> None:
        self.steps.append({"title": title, "checks": []})
        if not self._quiet:
            click.echo()
            click.secho(f"{len(self.steps)}. {title}", bold=True)

    def print(self, text: str) -> None:
        if not self._quiet:
            click.echo("\n".join(f"   {line}" for line in text.splitlines()))

    def check(self, passed: bool, description: str) -> None:
        self.steps[-1]["checks"].append({"passed": passed, "what": description})
        if not self._quiet:
            click.secho(f"   {'✓' if passed else '✗'} {description}", fg="green" if passed else "red")
        self.failed = self.failed or not passed

    def server_truth(self) -> dict[str, Any]:
        """Return what the application's server recorded."""
        return server_truth(self.url)

    async def run_in_python(self) -> bool:
        if not self._quiet:
            click.secho(
                "UIAP: agents act on real interfaces, and success means the effect was observed.", bold=True
            )
        self.print(f"The example application Videoland runs at {self.url}")
        async with uiap.open(f"{self.url}/videos/new?as=admin&lang=en") as ui:
            await self._list_capabilities(ui)
            await self._read_page(ui)
            await self._enter_title(ui)
            await self._create_video(ui)
            await self._report_server_failure(ui)
            await show_workflows(self, ui)
        return self.failed

    async def _list_capabilities(self, ui: uiap.Ui) -> None:
        self.step("An agent opens a session and lists the available actions")
        session = ui.session
        document = await ui.capabilities()
        names = ", ".join(a.id for a in document.actions)
        self.print(f"session {session.session_id[:13]}…, profile {session.selected_profiles[0]}")
        self.print(f"{len(document.actions)} actions ({names})")
        self.print(
            f"{len(document.roles)} roles, {len(document.success_signal_kinds)} kinds of success signals"
        )
        self.check(len(document.actions) > 0, "the capabilities are what the driver really offers")

    async def _read_page(self, ui: uiap.Ui) -> None:
        self.step("It reads the page as roles, names and states, not as pixels or markup")
        text = (await ui.observe()).outline()
        form = text[text.index("form ") :].splitlines()[:9] if "form " in text else text.splitlines()[:9]
        self.print("\n".join(form) + f"\n  …  ({token_count(text)} tokens for the whole page)")
        self.check("Create video" in text, "every control is listed, with a ref to act on it")

    async def _enter_title(self, ui: uiap.Ui) -> None:
        self.step("It enters a title; the field is read back before success is reported")
        result = await ui.fill("Title", "My first video", check=False)
        self._print_result(result)
        self.check(result.ok, "the field contains the entered text")

    async def _create_video(self, ui: uiap.Ui) -> None:
        self.step("It presses “Create video” and expects a new route and a toast")
        before, revision = self.server_truth(), (await ui.observe()).revision
        effects = [uiap.route_changed("/videos/:id"), uiap.toast_contains("created")]
        result = await ui.click("Create video", expect=effects, check=False)
        self._print_result(result)
        changed = await ui.outline(since=revision, budget=300)
        self.print(
            f"the changes, in {token_count(changed)} tokens:\n" + "\n".join(changed.splitlines()[:6]) + "\n…"
        )
        created = self.server_truth()["videos"] - before["videos"]
        self.check(result.ok and created == 1, f"the server agrees: {created} new video")

    async def _report_server_failure(self, ui: uiap.Ui) -> None:
        self.step("The server fails while the page looks fine: no success is reported")
        await ui.goto("/videos/new?lang=en")
        await ui.fill("Title", "A second video")
        self.set_knob("fail_next", 1)
        before = self.server_truth()["videos"]
        result = await ui.click("Create video", expect=[uiap.toast_contains("created")], check=False)
        self._print_result(result)
        created = self.server_truth()["videos"] - before
        self.check(
            not result.ok and created == 0,
            f"reported as {result.status}; the server created {created} videos",
        )

    def set_knob(self, name: str, value: Any) -> None:
        set_knob(self.url, name, value)

    def _print_result(self, result: Result) -> None:
        ms = result.metadata.get("durationMs", 0)
        if result.ok:
            self.print(f"{result.status} in {ms:.0f} ms: {result.metadata.get('evidence', '')}")
        elif result.error is not None:
            self.print(f"{result.reason}: {result.error.message}")
            self.print(f"side effect: {result.side_effect_state}")


def _run_in_shell(demo: DemoRun, url: str) -> bool:
    """Do the same with session commands, where a person has to confirm; return whether a check failed."""
    demo.step("The same from a shell; an agent may be typing there, so a person confirms")
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        shell = _Shell(demo, home)
        try:
            shell.run("open", f"{url}/videos/new?as=admin&lang=en")
            shell.run("fill", "Title", "From a shell")
            shell.run("click", "Create video", code=4)
            shell.run("approve", "--yes")
            done = shell.run("wait", "action")
            demo.check(done.returncode == 0, "the person granted it, and the effect was observed")
        finally:
            shell.run("close")
    return demo.failed


def _learn_in_shell(demo: DemoRun) -> bool:
    """Show the chapter on an application that nobody annotated; return whether a check failed."""
    with (
        tempfile.TemporaryDirectory(prefix="uiap-") as home,
        tempfile.TemporaryDirectory(prefix="uiap-") as work,
        _videoland(annotated=False) as url,
    ):
        show_knowledge(demo, _Shell(demo, home, work).run, url)
    return demo.failed


class _Shell:
    """Runs the real `uiap` command and prints it with its output."""

    def __init__(self, demo: DemoRun, home: str, folder: str | None = None) -> None:
        self._demo, self._folder = demo, folder
        self._environ = {**os.environ, "UIAP_HOME": home}

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "uiap.cli.main", *words]

    def run(self, *words: str, code: int = 0, lines: int = 4) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self._command(*words),
            env=self._environ,
            cwd=self._folder,
            capture_output=True,
            text=True,
            timeout=120,
        )
        shown = (done.stdout + done.stderr).splitlines()[:lines]
        self._demo.print("\n".join([f"$ uiap {shlex.join(words)}", *(f"  {line}" for line in shown)]))
        if done.returncode != code:
            self._demo.check(False, f"exit code {done.returncode}")
        return done


def _leave_open(url: str) -> None:
    from uiap.cli import resident_process

    failed = resident_process.start(
        "default",
        f"{url}/?as=admin&lang=en",
        headed=False,
        idle=None,
        more=["--autonomy", "trusted"],
    )
    if failed is not None:
        raise Unavailable(failed)
    click.echo(
        f"\nVideoland stays open at {url}; try: uiap observe, uiap find Videos, uiap click Videos (Ctrl-C closes it)"
    )
    try:
        asyncio.run(asyncio.Event().wait())
    except KeyboardInterrupt:
        pass
    finally:
        resident_process.end("default")
