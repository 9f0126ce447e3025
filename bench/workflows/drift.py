"""Ten kinds of redesign of the pages that a recorded task uses: each replay is right, repaired, refused or wrong.

A relay in front of the application puts the redesign into its pages. A person accepts every proposal of a repair, so a
proposal of another element shows as wrong data. Each kind changes every third control, three times, so that it meets
every control once.
"""

from __future__ import annotations

import dataclasses
import importlib
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from apps.videoland import Settings, serving
from bench.chain.drift import SCRIPT
from bench.discovery_apps.app import App, Running, running
from bench.discovery_apps.gateway import RequestLog
from bench.workflows.persons import Data
from bench.workflows.replays import executing_runs, parameters, record
from bench.workflows.tasks import TASKS, Task, sql
from uiap.api.workflow_runs import WorkflowRuns, application_of, run_order
from uiap.host.workflows.durable import DurableRuns
from uiap.host.workflows.history import RunHistory
from uiap.spec.workflow import WorkflowDefinition

KINDS = (
    "renamed label",
    "moved field",
    "wrapped form",
    "new ancestor",
    "changed id",
    "reordered list",
    "other locale",
    "added twin",
    "changed role",
    "removed element",
)
THIRDS = 3
VIDEOLAND = "videoland"
MAX_REPAIRS = 10
_HOP_BY_HOP = frozenset(
    {"connection", "transfer-encoding", "content-length", "content-encoding", "keep-alive"}
)
_INJECTED = """<script>document.addEventListener("DOMContentLoaded", () => {
  let changed = "", timer = 0;
  const change = () => { // a page that its script draws is changed when it has been still for a moment
    if (changed === location.pathname || !document.querySelector("input,textarea,select,a[href]")) return;
    changed = location.pathname; observer.disconnect(); (%s)("%s", %d);
    setTimeout(() => observer.observe(document.body, { childList: true, subtree: true }), 0);
  };
  const observer = new MutationObserver(() => { clearTimeout(timer); timer = setTimeout(change, 150); });
  observer.observe(document.body, { childList: true, subtree: true });
  if (%s) change(); else timer = setTimeout(change, 150);
});</script>"""
Outcome = Literal["right", "repaired", "refused", "wrong"]


@dataclasses.dataclass
class Redesign:
    """The redesign that the relay applies now; none while the task is recorded."""

    kind: str = ""
    third: int = 0
    at_once: bool = True
    """Whether the server sends complete pages; otherwise a script draws them."""

    def applied(self, page: bytes) -> bytes:
        if not self.kind:
            return page
        words = (SCRIPT.read_text("utf-8").strip(), self.kind, self.third, str(self.at_once).lower())
        return page.replace(b"</body>", (_INJECTED % words).encode() + b"</body>", 1)


@contextmanager
def redesigning(base: str, redesign: Redesign) -> Iterator[str]:
    """Serve the application at another address, with its pages redesigned."""
    upstream = urlsplit(base).netloc

    class Handler(BaseHTTPRequestHandler):
        def _relay(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            connection = HTTPConnection(upstream, timeout=30)
            headers = {name: value for name, value in self.headers.items() if name != "Accept-Encoding"}
            connection.request(self.command, self.path, self.rfile.read(length) or None, headers)
            answer = connection.getresponse()
            body = answer.read()
            if "text/html" in (answer.getheader("Content-Type") or ""):
                body = redesign.applied(body)
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP_BY_HOP | {"content-security-policy"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            with suppress(OSError):
                self.wfile.write(body)

        do_GET = do_POST = _relay  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as relay:
        threading.Thread(target=relay.serve_forever, daemon=True).start()
        try:
            yield f"http://localhost:{relay.server_port}"
        finally:
            relay.shutdown()


async def create_video(page: Any, data: Data) -> None:
    await page.get_by_role("textbox", name="Title").click()
    await page.keyboard.type(data["title"])
    await page.get_by_role("textbox", name="Description").click()
    await page.keyboard.type(data["description"])
    await page.get_by_role("button", name="Create video").click()
    await page.get_by_role("heading", name=data["title"]).first.wait_for()


VIDEO = Task(
    VIDEOLAND,
    "/videos/new?as=admin&lang=en",
    lambda n: {"title": f"Moss and stone {n + 101}", "description": f"Filmed on day {n + 1}."},
    create_video,
    sql("videos.sqlite3", "select title, description from videos"),
    lambda data: (data["title"], data["description"]),
)


@contextmanager
def _site(task: Task) -> Iterator[Running]:
    if task.app != VIDEOLAND:
        app: App = importlib.import_module(f"bench.discovery_apps.{task.app}").APP
        with running(app) as site:
            yield site
        return
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(rows=20, db=f"{folder}/videos.sqlite3", auto_login=True)
        with serving(settings) as server:
            app = App(name=VIDEOLAND, start=())
            yield Running(app, Path(folder), server.url, Path(folder) / "log", RequestLog())


@dataclasses.dataclass(frozen=True)
class Drifts:
    """The outcomes of each kind of redesign in one application, and what happened in those that were wrong."""

    name: str
    outcomes: dict[str, Counter[Outcome]]
    proposals: tuple[str, ...]
    problems: tuple[str, ...]


async def measure_drifts(name: str) -> Drifts:
    """Record a task once, and replay it under each redesign."""
    task = VIDEO if name == VIDEOLAND else TASKS[name]
    redesign, number = Redesign(at_once=name != VIDEOLAND), 0
    found: dict[str, Counter[Outcome]] = {}
    proposals: list[str] = []
    problems: list[str] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        _site(task) as live,
        redesigning(live.base, redesign) as base,
    ):
        site, state = dataclasses.replace(live, base=base), Path(folder) / "state.json"
        definition = await record(site, task, state)
        async with WorkflowRuns(Path(folder) / "runs.sqlite3") as stored, executing_runs(stored) as executing:
            replays = _Replays(site, task, definition, state, stored, executing)
            for kind in ("", *KINDS):
                redesign.kind, found[kind] = kind, Counter()
                for redesign.third in range(THIRDS if kind else 1):
                    number += 1
                    outcome, note = await replays.run(number, proposals)
                    found[kind][outcome] += 1
                    if outcome in ("wrong", "refused"):
                        problems.append(f"{kind} {redesign.third}: {outcome}: {note}")
    return Drifts(name, found, tuple(proposals), tuple(problems))


@dataclasses.dataclass(frozen=True)
class _Replays:
    site: Running
    task: Task
    definition: WorkflowDefinition
    state: Path
    stored: WorkflowRuns
    executing: DurableRuns

    async def run(self, n: int, proposals: list[str]) -> tuple[Outcome, str]:
        data, before = self.task.data(n), self.task.rows(self.site)
        application, actions = application_of(self.definition, None, state=str(self.state), rules="trusted")
        order = run_order(self.definition, application, parameters(self.definition, data), actions=actions)
        await self.executing.start(order)
        history, repairs = await self._answered(order.terms.instance_id, proposals)
        added = Counter(self.task.rows(self.site)) - Counter(before)
        removed = Counter(before) - Counter(self.task.rows(self.site))
        done = added == Counter([self.task.row(data)]) and not removed
        note = f"{history.instance.status}, added {dict(added)}: {_last_note(history)}"
        if history.instance.status == "succeeded":
            return ("repaired" if repairs else "right") if done else "wrong", note
        return "refused" if done or not (added or removed) else "wrong", note

    async def _answered(self, run_id: str, proposals: list[str]) -> tuple[RunHistory, int]:
        """Follow a run to its end and accept its proposals; every other question is answered with no."""
        repairs = 0
        while True:
            async for _ in self.stored.follow(run_id):
                pass
            history = await self.stored.history(run_id)
            if history.question is None:
                return history, repairs
            if history.question.kind == "repair" and repairs < MAX_REPAIRS:
                repairs += 1
                proposals.append(history.question.text)
                await self.stored.accept_repair(run_id)
            else:
                await self.stored.cancel(run_id)
                await self.executing.result(run_id)
                return await self.stored.history(run_id), repairs


def _last_note(history: RunHistory) -> str:
    notes = [entry.note for entry in history.timeline if entry.note]
    return notes[-1] if notes else ""
