"""Tasks of an agent on a third-party application, as an optimal script per tool: what one task costs.

The applications and the peers are fetched at run time. A task is done if the database of the application says so; a
tool that reported success without that made a wrong claim. So far: the Django admin, by our shell and by agent-browser.
"""

from __future__ import annotations

import asyncio
import os
import shlex
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bench.discovery_apps import django_admin
from bench.discovery_apps.app import Running, running
from bench.peers.agent_browser import AgentBrowser
from bench.peers.install import Absent
from bench.table import Claim, show
from uiap.drivers.chromium.process.find import find_browser
from uiap.graph.outline import token_count

SUMMARY = "tasks of an agent on a third-party application: calls, tokens, seconds, questions and wrong claims"
WAITS = 4
"""The exit code of our shell if a person has to answer."""
Words = tuple[str, ...]
LOADED: Words = ("wait", "--load", "networkidle")
"""The command of agent-browser that waits for the page; without it the next one may cancel the request."""


@dataclass(frozen=True)
class AgentTask:
    name: str
    ours: Sequence[Words]
    peer: Sequence[Words]
    truth: str
    """A query whose first value is true once the task is done."""


@dataclass
class Cost:
    """The costs of the tasks with one tool."""

    calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    questions: int = 0
    wrong_claims: int = 0
    done: int = 0
    failures: list[str] = field(default_factory=list)


def form(path: str, fields: dict[str, str], table: str, where: str, *, choose: str = "") -> AgentTask:
    """Return the task of opening a form, filling it in and saving it."""
    steps = [f"fill {name}={value}" for name, value in fields.items()]
    steps += [f"select {choose}"] if choose else []
    peer: list[Words] = [("snapshot", "-i")]
    peer += [("find", "label", f"{name}:", "fill", value) for name, value in fields.items()]
    if choose:
        name, _, value = choose.partition("=")
        peer.append(("find", "label", f"{name}:", "select", value.lower()))
    peer += [("find", "role", "button", "click", "--name", "Save"), LOADED, ("snapshot", "-i")]
    return AgentTask(
        name=f"{path} {', '.join(fields) or choose}",
        ours=(("goto", path, "--budget", "200"), ("do", "; ".join([*steps, "click Save"]))),
        peer=(("open", path), *peer),
        truth=f"select count(*) = 1 from {table} where {where}",
    )


TASKS = (
    form("/admin/library/publisher/add/", {"Name": "Harbour"}, "library_publisher", "name = 'Harbour'"),
    form(
        "/admin/library/publisher/add/",
        {"Name": "Meadow", "Country": "Chile"},
        "library_publisher",
        "name = 'Meadow' and country = 'Chile'",
    ),
    form(
        "/admin/library/author/add/",
        {"Name": "Ida Roe", "Born": "1970-01-02", "Biography": "Wrote."},
        "library_author",
        "name = 'Ida Roe' and born = '1970-01-02' and biography = 'Wrote.'",
    ),
    form(
        "/admin/library/author/1/change/",
        {"Name": "Ada Two"},
        "library_author",
        "id = 1 and name = 'Ada Two'",
    ),
    form(
        "/admin/library/publisher/1/change/",
        {"Country": "Peru"},
        "library_publisher",
        "id = 1 and country = 'Peru'",
    ),
    form("/admin/auth/group/add/", {"Name": "Editors"}, "auth_group", "name = 'Editors'"),
    form(
        "/admin/auth/user/1/change/",
        {"First name": "Ann", "Last name": "Lee"},
        "auth_user",
        "id = 1 and first_name = 'Ann' and last_name = 'Lee'",
    ),
    form(
        "/admin/library/book/1/change/", {"Title": "Renamed"}, "library_book", "id = 1 and title = 'Renamed'"
    ),
)
SIGN_IN = {"Username:": "admin", "Password:": "admin-password"}


class Ours:
    """Our shell in an agent's session; the harness answers every question as the person."""

    name = "uiap"

    def __init__(self, site: Running, home: str) -> None:
        self._site = site
        self._environ = {**os.environ, "UIAP_HOME": home}

    async def start(self) -> None:
        state = str(Path(self._environ["UIAP_HOME"]) / "login.json")
        steps = "; ".join([*(f"fill {name}={value}" for name, value in SIGN_IN.items()), "click Log in"])
        self._run(("open", self._site.home, "--trusted", "--save-state", state))
        self._run(("do", steps))
        self._run(("close",))
        self._run(("open", self._site.home, "--state", state))

    async def run(self, words: Words, cost: Cost) -> bool:
        code, text = self._run(words)
        cost.calls, cost.tokens = cost.calls + 1, cost.tokens + _tokens(words, text)
        if code != WAITS:
            return code == 0
        cost.questions += 1
        self._run(("approve", "--yes"))
        return await self.run(("wait", "action"), cost)

    def _run(self, words: Words) -> tuple[int, str]:
        command = [sys.executable, "-m", "uiap.cli.main", *words]
        done = subprocess.run(command, env=self._environ, capture_output=True, text=True, timeout=120)
        return done.returncode, done.stdout + done.stderr

    async def close(self) -> None:
        self._run(("close",))


class AgentBrowserShell:
    """agent-browser by its command line."""

    name = "agent-browser"

    def __init__(self, site: Running) -> None:
        self._site, self._peer = site, AgentBrowser(*_browser_and_sandbox())

    async def start(self) -> None:
        await self._peer.goto(self._site.home)
        for name, value in SIGN_IN.items():
            await self._peer.command("find", "label", name, "fill", value)
        await self._peer.command("find", "role", "button", "click", "--name", "Log in")
        await self._peer.command(*LOADED)

    async def run(self, words: Words, cost: Cost) -> bool:
        given = ("open", self._site.base + words[1]) if words[0] == "open" else words
        reply = await self._peer.command(*given)
        cost.calls, cost.tokens = cost.calls + 1, cost.tokens + _tokens(words, reply.text)
        return reply.claimed

    async def close(self) -> None:
        await self._peer.close()


def _browser_and_sandbox() -> tuple[Path, list[str]]:
    found = find_browser(environ=os.environ)
    if found is None:
        raise Absent("no browser found; run `make browser` first")
    return found.path, ["--no-sandbox"] if os.geteuid() == 0 else []


def _tokens(words: Words, text: str) -> int:
    return token_count(shlex.join(words)) + token_count(text)


async def measure(
    tool: Ours | AgentBrowserShell, script: Callable[[AgentTask], Sequence[Words]], database: Path
) -> Cost:
    cost = Cost()
    await tool.start()
    try:
        for task in TASKS:
            began = time.monotonic()
            claimed = True
            for words in script(task):
                claimed = claimed and await tool.run(words, cost)
            cost.seconds += time.monotonic() - began
            _judge(task, claimed, database, cost)
    finally:
        await tool.close()
    return cost


def _judge(task: AgentTask, claimed: bool, database: Path, cost: Cost) -> None:
    with sqlite3.connect(database) as connection:
        (done,) = connection.execute(task.truth).fetchone()
    cost.done += bool(done)
    cost.wrong_claims += claimed and not done
    if not done or not claimed:
        cost.failures.append(
            f"{task.name}: {'done' if done else 'not done'}, {'claimed' if claimed else 'not claimed'}"
        )


async def _measure_ours() -> Cost:
    with running(django_admin.APP) as site, tempfile.TemporaryDirectory(prefix="uiap-") as home:
        return await measure(Ours(site, home), lambda task: task.ours, site.folder / "library.sqlite3")


async def _measure_peer() -> Cost | None:
    try:
        with running(django_admin.APP) as site:
            tool = AgentBrowserShell(site)
            return await measure(tool, lambda task: task.peer, site.folder / "library.sqlite3")
    except Absent as absent:
        print(f"agent-browser is absent: {absent}")
        return None


def run() -> bool:
    costs = {"uiap": asyncio.run(_measure_ours()), "agent-browser": asyncio.run(_measure_peer())}
    rows: list[tuple[str, ...]] = [
        ("tool", "done", "calls", "tokens", "seconds", "questions", "wrong claims")
    ]
    for name, cost in costs.items():
        if cost is not None:
            figures = (cost.calls, cost.tokens, f"{cost.seconds:.1f}", cost.questions, cost.wrong_claims)
            rows.append((name, f"{cost.done} of {len(TASKS)}", *map(str, figures)))
            for failure in cost.failures:
                print(f"  {name}: {failure}")
    return show("one agent's tasks on the Django admin", rows, _claims(costs["uiap"], costs["agent-browser"]))


def _claims(ours: Cost | None, peer: Cost | None) -> list[Claim]:
    assert ours is not None
    claims = [
        Claim("every task is done", ours.done == len(TASKS)),
        Claim("no wrong claim", ours.wrong_claims == 0),
    ]
    if peer is not None:
        calls = ours.calls - ours.questions  # the question itself is a call more, until autonomy exists
        claims.append(
            Claim(
                f"{calls / peer.calls:.2f} of the calls (0.8), questions not counted",
                calls <= 0.8 * peer.calls,
            )
        )
        claims.append(
            Claim(f"{ours.tokens / peer.tokens:.2f} of the tokens (0.6)", ours.tokens <= 0.6 * peer.tokens)
        )
        claims.append(
            Claim(f"{ours.seconds / peer.seconds:.2f} of the seconds (1.0)", ours.seconds <= peer.seconds)
        )
    return claims
