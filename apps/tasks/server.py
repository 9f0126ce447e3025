"""Serve the task pages on loopback, each with the goal of a seed inserted."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from apps.tasks.task import PAGES, TASKS, Task

_PRELUDE = """\
<script>
const goal = %s
let chance = %d, solved
function rng() { chance = (chance + 0x6D2B79F5) | 0; let t = Math.imul(chance ^ chance >>> 15, 1 | chance)
  t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t; return ((t ^ t >>> 14) >>> 0) / 4294967296 }
function shuffle(list) { const a = [...list]
  for (let i = a.length - 1; i > 0; i--) { const j = Math.floor(rng() * (i + 1)); [a[i], a[j]] = [a[j], a[i]] }
  return a }
function later(work) { const ms = rng() * 300; ms < 60 ? work() : fetch('/wait?ms=' + Math.round(ms)).then(work) }
</script>
<style>body{font:16px sans-serif;margin:16px}button,input,select{font:inherit;margin:4px}</style>
"""
"""Delayed effects wait for an answer of the server, as in real applications."""


def url_of(origin: str, task: str, seed: int) -> str:
    return f"{origin}/{task}?seed={seed}"


@dataclass(frozen=True)
class TaskSite:
    """The served tasks, the folder of their pages, and the folder of their built scripts."""

    tasks: tuple[Task, ...] = TASKS
    pages: Path = PAGES
    built: Path | None = None

    def task(self, id: str) -> Task | None:
        return next((task for task in self.tasks if task.id == id), None)

    def script(self, path: str) -> Path | None:
        """Return a built script by its path; only a plain file name in that folder is accepted."""
        folder, _, name = path.rpartition("/")
        if self.built is None or folder != "/built" or not (self.built / name).is_file():
            return None
        return self.built / name

    def index(self) -> str:
        """Return an index page for people."""
        items = "".join(f'<li><a href="/{task.id}?seed=1">{task.id}</a>: {task.say}' for task in self.tasks)
        return f"<!doctype html><meta charset=utf-8><title>Tasks</title><h1>Tasks</h1><ul>{items}</ul>"


class _Handler(BaseHTTPRequestHandler):
    site = TaskSite()

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        task = self.site.task(url.path.strip("/"))
        if url.path == "/wait":
            threading.Event().wait(min(int(query["ms"][0]), 2000) / 1000)
            self._answer(b"{}", "application/json")
        elif url.path == "/":
            self._answer(self.site.index().encode(), "text/html")
        elif (script := self.site.script(url.path)) is not None:
            self._answer(script.read_bytes(), "text/javascript")
        elif task is None:
            self.send_error(404)
        else:
            seed = int(query.get("seed", ["0"])[0])
            page = (self.site.pages / f"{task.id}.html").read_text()
            head = _PRELUDE % (json.dumps(task.draw_goal(seed)), seed * 7919 + 17)
            self._answer(page.replace("</title>", "</title>\n" + head, 1).encode(), "text/html")

    def _answer(self, body: bytes, media_type: str) -> None:
        self.send_response(200)
        self.send_header("content-type", f"{media_type}; charset=utf-8")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        return


@contextmanager
def serving(port: int = 0, site: TaskSite | None = None) -> Iterator[str]:
    """Serve until the block ends; yield the origin."""
    handler = type("Handler", (_Handler,), {"site": site or _Handler.site})
    server = ThreadingHTTPServer(("127.0.0.1", port), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield f"http://localhost:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
