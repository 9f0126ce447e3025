"""`uiap demo`: the product in one minute, on the example application, told step by step."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import uiap
from uiap.api.result import Result
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.graph.outline import token_count


@click.command(help="The product in one minute, on the example application (needs a checkout).")
@click.option("--keep", is_flag=True, help="Leave the application and a browser open to play with.")
@json_option
def command(keep: bool, as_json: bool) -> int:
    with _videoland() as url:
        told = DemoRun(url, quiet=as_json)
        failed = asyncio.run(told.tell())
        failed = _in_a_shell(told, url) or failed
        told.say("That was it." if not failed else "Something did not go as it should; see above.")
        if keep and not failed:
            _leave_open(url)
        if as_json:
            print_json({"passed": not failed, "steps": told.steps})
    return 1 if failed else 0


@contextmanager
def _videoland() -> Iterator[str]:
    root = next((p for p in (Path.cwd(), *Path.cwd().parents) if (p / "apps" / "videoland").is_dir()), None)
    if root is None:
        raise Unavailable("the demo needs a checkout of uiap; clone it and run: make demo")
    sys.path.insert(0, str(root))
    from apps.videoland import Settings, serving  # type: ignore[import-not-found, unused-ignore]

    with serving(Settings(rows=40, truth=True, auto_login=True)) as server:
        yield server.url


class DemoRun:
    """Steps with a number, what happens in words, and a check that can fail."""

    def __init__(self, url: str, *, quiet: bool = False) -> None:
        self.url, self._quiet = url, quiet
        self.failed = False
        self.steps: list[dict[str, Any]] = []
        """What was done and checked, for `--json`."""

    def step(self, title: str) -> None:
        self.steps.append({"title": title, "checks": []})
        if not self._quiet:
            click.echo()
            click.secho(f"{len(self.steps)}. {title}", bold=True)

    def say(self, text: str) -> None:
        if not self._quiet:
            click.echo("\n".join(f"   {line}" for line in text.splitlines()))

    def check(self, truth: bool, words: str) -> None:
        self.steps[-1]["checks"].append({"passed": truth, "what": words})
        if not self._quiet:
            click.secho(f"   {'✓' if truth else '✗'} {words}", fg="green" if truth else "red")
        self.failed = self.failed or not truth

    def truth(self) -> dict[str, Any]:
        """The application's own account of what it did."""
        with urllib.request.urlopen(f"{self.url}/__truth", timeout=10) as answer:
            told: dict[str, Any] = json.load(answer)
        return told

    async def tell(self) -> bool:
        if not self._quiet:
            click.secho("UIAP: agents act on real interfaces, and success is what was observed.", bold=True)
        self.say(f"Videoland, the example application, runs at {self.url}")
        async with uiap.open(f"{self.url}/videos/new?as=admin&lang=en") as ui:
            await self._meet(ui)
            await self._see(ui)
            await self._write(ui)
            await self._create(ui)
            await self._fail_honestly(ui)
        return self.failed

    async def _meet(self, ui: uiap.Ui) -> None:
        self.step("An agent shakes hands and asks what can be done here")
        session = ui.session
        document = await ui.capabilities()
        names = ", ".join(a.id for a in document.actions)
        self.say(f"session {session.session_id[:13]}…, profile {session.selected_profiles[0]}")
        self.say(f"{len(document.actions)} actions ({names})")
        self.say(
            f"{len(document.roles)} roles, {len(document.success_signal_kinds)} kinds of success signals"
        )
        self.check(len(document.actions) > 0, "the capabilities are what the driver really offers")

    async def _see(self, ui: uiap.Ui) -> None:
        self.step("It sees the page as roles, names and states, not as pixels or markup")
        text = (await ui.observe()).outline()
        form = text[text.index("form ") :].splitlines()[:9] if "form " in text else text.splitlines()[:9]
        self.say("\n".join(form) + f"\n  …  ({token_count(text)} tokens for the whole page)")
        self.check("Create video" in text, "every control is there, with a reference to act on it")

    async def _write(self, ui: uiap.Ui) -> None:
        self.step("It writes a title, and the field is read back before anything is claimed")
        result = await ui.act("ui.enterText", role="textbox", name="Title", args={"text": "My first video"})
        self._told(result)
        self.check(result.ok, "the field holds what was written")

    async def _create(self, ui: uiap.Ui) -> None:
        self.step("It presses “Create video” and expects a new page and a message")
        before, revision = self.truth(), (await ui.observe()).revision
        result = await ui.act(
            "ui.activate",
            role="button",
            name="Create video",
            expect=[uiap.route_changed("/videos/:id"), uiap.toast_contains("created")],
        )
        self._told(result)
        changed = await ui.outline(since=revision, budget=300)
        self.say(
            f"what changed, in {token_count(changed)} tokens:\n" + "\n".join(changed.splitlines()[:6]) + "\n…"
        )
        made = self.truth()["videos"] - before["videos"]
        self.check(result.ok and made == 1, f"the server agrees: {made} new video")

    async def _fail_honestly(self, ui: uiap.Ui) -> None:
        self.step("Now the server fails while the page looks fine: no success is claimed")
        await ui.navigate("/videos/new?lang=en")
        await ui.act("ui.enterText", role="textbox", name="Title", args={"text": "A second video"})
        self._knob("fail_next", 1)
        before = self.truth()["videos"]
        result = await ui.act(
            "ui.activate",
            role="button",
            name="Create video",
            expect=[uiap.toast_contains("created")],
            verify_ms=2500,
        )
        self._told(result)
        made = self.truth()["videos"] - before
        self.check(
            not result.ok and made == 0, f"reported as {result.status}, and the server made {made} videos"
        )

    def _knob(self, name: str, value: Any) -> None:
        body = json.dumps({name: value}).encode()
        headers = {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/__knobs", body, headers, method="POST")
        urllib.request.urlopen(request, timeout=10).close()

    def _told(self, result: Result) -> None:
        ms = result.metadata.get("durationMs", 0)
        if result.ok:
            self.say(f"{result.status} in {ms:.0f} ms: {result.metadata.get('evidence', '')}")
        elif result.error is not None:
            self.say(f"{result.status}: {result.error.message} ({result.error.code})")
            self.say(f"side effect: {result.side_effect_state}")


def _in_a_shell(told: DemoRun, url: str) -> bool:
    """The same from a terminal, where a person must confirm what an agent may not decide."""
    told.step("The same from a shell; here an agent may be typing, so a person confirms")
    with tempfile.TemporaryDirectory(prefix="uiap-") as home:
        shell = _Shell(told, home)
        try:
            shell.run("open", f"{url}/videos/new?as=admin&lang=en")
            shell.run(
                "act", "ui.enterText", "--role", "textbox", "--name", "Title", "--arg", "text=From a shell"
            )
            pressed = shell.start("act", "ui.activate", "--role", "button", "--name", "Create video")
            shell.until_pending()
            shell.run("approve")
            code = pressed.wait(60)
            told.check(code == 0, "granted by the person, done, and seen")
        finally:
            shell.run("close")
    return told.failed


class _Shell:
    """Runs the real command and shows it."""

    def __init__(self, told: DemoRun, home: str) -> None:
        self._told = told
        self._environ = {**os.environ, "UIAP_HOME": home}

    def _command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "uiap.cli.main", *words]

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            self._command(*words), env=self._environ, capture_output=True, text=True, timeout=120
        )
        lines = (done.stdout + done.stderr).splitlines()
        self._told.say("\n".join([f"$ uiap {' '.join(words)}", *(f"  {line}" for line in lines[:4])]))
        if done.returncode != 0:
            self._told.check(False, f"exit code {done.returncode}")
        return done

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        self._told.say(f"$ uiap {' '.join(words)}")
        quiet = subprocess.DEVNULL
        return subprocess.Popen(self._command(*words), env=self._environ, stdout=quiet, stderr=quiet)

    def until_pending(self, tries: int = 100) -> None:
        """Ask until something waits for a person; each question takes its own time, so this is bounded."""
        for _ in range(tries):
            asked = subprocess.run(
                self._command("approve", "--list", "--json"),
                env=self._environ,
                capture_output=True,
                text=True,
            )
            if asked.returncode == 0 and json.loads(asked.stdout):
                return


def _leave_open(url: str) -> None:
    from uiap.cli import resident_process

    failed = resident_process.start(
        "default", f"{url}/?as=admin&lang=en", headed=False, trusted=True, idle=None
    )
    if failed is not None:
        raise Unavailable(failed)
    click.echo(
        f"\nVideoland stays at {url}; try: uiap observe, uiap find Videos, uiap act … (Ctrl-C ends both)"
    )
    try:
        asyncio.run(asyncio.Event().wait())
    except KeyboardInterrupt:
        pass
    finally:
        resident_process.end("default")
