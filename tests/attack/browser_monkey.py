"""A monkey in a real browser: an agent tries every verb on every control, and the server is the judge.

Each page is generated. Its controls write to the server, each over one of several roads. A write of a control for which
the person gave no grant is a fault. A control that was granted once is not tried again, so each write has one answer.

Not played: a page that writes when a text is typed, a native box is ticked, a link with a plain address and an ordinary
word (`Save`, `Add`) is followed, or a harmless section is opened. No rule can know that before the input
(docs/threat-model.md).
"""

from __future__ import annotations

import asyncio
import html
import http.server
import random
import threading
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.attack.stage import ANN, EVE, SECRET
from tests.policy.corpus import labels
from uiap.api.graph import Graph
from uiap.api.open_session import in_process_sessions
from uiap.api.ui import Ui
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.errors import UiapError
from uiap.host.clock import SystemClock
from uiap.host.consent.grants import Grants
from uiap.host.privacy.secrets import Secrets
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.lexicon import meaning_of

RISKY = [label for _, label in labels("tuning")]
HARMFUL = [
    one for one in RISKY if meaning_of(one).orders or "destructive" in {h.kind for h in meaning_of(one).asks}
]
NAMES = RISKY + [label for _, label in labels("harmless")]
ROADS = (
    "fetch(`/write/${k}`, {method: 'POST'})",
    "fetch(`/write/${k}`, {method: 'POST', keepalive: true})",
    "navigator.sendBeacon(`/write/${k}`)",
    "{ const x = new XMLHttpRequest(); x.open('PUT', `/write/${k}`); x.send() }",
    "setTimeout(() => fetch(`/write/${k}`, {method: 'DELETE'}), 20)",
    "{ new Image().src = `/write/${k}` }",
    "Promise.resolve().then(() => fetch(`/write/${k}`, {method: 'POST'}))",
)
PLAIN = (
    '<button onclick="w(`K`)">N</button>',
    '<button onmousedown="w(`K`)">N</button>',
    '<button onkeydown="w(`K`)" onclick="w(`K`)">N</button>',
    '<a href="#" onclick="w(`K`)">N</a>',
    '<a href="javascript:w(`K`)">N</a>',
    '<a href="/page/0" data-method=delete onclick="w(`K`); return false">N</a>',
    '<a href="/page/0">N</a><script>document.currentScript.previousElementSibling.addEventListener("click", '
    "(e) => { e.preventDefault(); w(`K`) })</script>",
    '<i><a href="/page/0">N</a></i><script>document.currentScript.previousElementSibling.addEventListener("click", '
    "(e) => { if (e.target.closest('a')) { e.preventDefault(); w(`K`) } })</script>",
    '<span style="cursor:pointer" onclick="w(`K`)">N</span>',
    '<svg width=40 height=20 role=img aria-label="N" onclick="w(`K`)"><rect width=40 height=20></rect></svg>',
    '<form action="/write/K" method=post><input aria-label="Field K" name=a><button>N</button></form>',
    '<form action="/write/K" method=post><label>N <input name=a></label><input type=image alt="N"></form>',
    '<form onsubmit="w(`K`); return false" aria-label="N"><input aria-label="Text K"><button>N</button></form>',
    '<input aria-label="N" onkeydown="if (event.key === `Enter`) w(`K`)">',
    '<dialog open aria-label="N" style="position:static"><button onclick="w(`K`)">Close N</button></dialog>',
    '<div draggable=true ondragend="w(`K`)" aria-label="N" role=listitem>N</div>',
)
ROLED = '<div role=R tabindex=0 aria-label="N" onclick="w(`K`)" onkeydown="w(`K`)">N</div>'
ROLES = (
    "button",
    "link",
    "tab",
    "menuitem",
    "switch",
    "treeitem",
    "option",
    "checkbox",
    "radio",
    "row",
    "gridcell",
)
ORDERING_LINK = '<a href="/write/K?N">N</a>'
ORDERING = (
    '<button type=button aria-expanded=false onclick="w(`K`)">N</button>',
    '<div role=menuitem aria-haspopup=menu tabindex=0 onclick="w(`K`)">N</div>',
)
"""Controls that look harmless without their words."""
VERBS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("ui.activate", {}),
    ("ui.activate", {}),
    ("ui.open", {}),
    ("ui.close", {}),
    ("ui.expand", {}),
    ("ui.collapse", {}),
    ("ui.toggle", {}),
    ("ui.toggle", {"checked": True}),
    ("ui.choose", {}),
    ("ui.choose", {"label": "Large"}),
    ("ui.submit", {}),
    ("ui.enterText", {"text": "a\n"}),
    ("ui.setValue", {"value": 3}),
    ("x.uiap.doubleActivate", {}),
    ("x.uiap.secondaryActivate", {}),
    ("x.uiap.longPress", {}),
    ("x.uiap.press", {"key": "Enter"}),
    ("x.uiap.press", {"key": " "}),
    ("x.uiap.drag", {"dx": 60, "dy": 40}),
)
CONTROLS, STEPS_PER_PAGE, PARALLEL = 8, 25, 2


@dataclass
class Oracle:
    """The pages and the writes that reached the server, by the key of their control."""

    url: str = ""
    pages: dict[str, str] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)


@contextmanager
def serving() -> Iterator[Oracle]:
    oracle = Oracle()

    class Site(http.server.BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            _, kind, key, *_ = [*self.path.partition("?")[0].split("/"), "", ""]
            if kind == "write":
                oracle.written.append(key)
            body = oracle.pages.get(key, "<title>Other</title>").encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 (the names of the base class)

        def log_message(self, *_: object) -> None:
            return

    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore a page that leaves before its answer."""

    with Quiet(("localhost", 0), Site) as served:
        thread = threading.Thread(target=served.serve_forever, daemon=True)
        thread.start()
        oracle.url = f"http://localhost:{served.server_port}"
        yield oracle
        served.shutdown()


def page_of(rng: random.Random, number: int) -> tuple[str, dict[str, str]]:
    """Return a page, and the name of each control by its key."""
    controls: dict[str, str] = {}
    parts = []
    for at in range(CONTROLS):
        key = f"p{number}k{at}"
        name = f"{rng.choice(NAMES)} {key}"
        markup = rng.choice((*PLAIN, ROLED, ROLED))
        if rng.random() < 0.15:
            is_link = rng.random() < 0.4
            markup = ORDERING_LINK if is_link else rng.choice(ORDERING)
            name = f"{rng.choice(HARMFUL if is_link else RISKY)} {key}"
        words = {"K": key, "R": rng.choice(ROLES)}
        for letter, word in words.items():
            markup = markup.replace(f"={letter}", f"={word}").replace(f"`{letter}`", f"`{word}`")
            markup = markup.replace(f"/{letter}", f"/{word}").replace(f" {letter}", f" {word}")
        address = quote(name).replace("'", "%27")
        markup = markup.replace("?N", f"?{address}").replace("N", html.escape(name))
        controls[key] = name
        parts.append(f"<p id={key}>{markup}</p>")
    road = f"const w = (k) => {{ {rng.choice(ROADS)} }}"
    title = f"<!doctype html><meta charset=utf-8><title>Page {number}</title>"
    return f"{title}<script>{road}</script>{''.join(parts)}", controls


async def play(browser: ChromiumBrowser, seed: int, steps: int) -> dict[str, int]:
    """Play this many steps. Return the number of steps, grants, writes and unauthorised writes."""
    rng, figures = (
        random.Random(seed),
        {"steps": 0, "questions": 0, "grants": 0, "writes": 0, "unauthorised": 0},
    )
    with serving() as oracle:
        number = seed * 100_000
        while figures["steps"] < steps:
            number += 1
            await _play_page(
                browser, oracle, rng, number, min(STEPS_PER_PAGE, steps - figures["steps"]), figures
            )
    return figures


async def _play_page(
    browser: ChromiumBrowser,
    oracle: Oracle,
    rng: random.Random,
    number: int,
    steps: int,
    figures: dict[str, int],
) -> None:
    oracle.pages[str(number)], controls = page_of(rng, number)
    granted: set[str] = set()
    verbs: dict[str, list[str]] = {}
    grants = Grants()
    grants.register_key(ANN.id, SECRET)
    async with AsyncExitStack() as stack:
        services = SessionServices(
            ChromiumDriver(browser),
            rules="standard",
            grants=grants,
            secrets=Secrets({}, keyring=False),
            clock=SystemClock(),
        )
        stack.push_async_callback(services.close)
        await services.start()
        callers = await stack.enter_async_context(in_process_sessions(services, (EVE, ANN)))
        agent, person = (Ui(one, AsyncExitStack()) for one in callers)
        address = f"{oracle.url}/page/{number}"
        await person.act("nav.navigate", args={"url": address}, policy="none")
        for _ in range(steps):
            if address not in (await person.outline()):
                await person.act("nav.navigate", args={"url": address}, policy="none")
            figures["steps"] += 1
            targets = _targets(await agent.observe(), controls, granted)
            if targets:
                (key, ref), (action, args) = rng.choice(targets), rng.choice(VERBS)
                verbs.setdefault(key, []).append(action)
                granted |= {key} if await _step(rng, agent, person, (ref, action, args), figures) else set()
        await person.act("nav.navigate", args={"url": f"{oracle.url}/page/end"}, policy="none")
    written, oracle.written = oracle.written, []
    figures["grants"] += len(granted)
    figures["writes"] += len(written)
    for key in written:
        if key not in granted:
            figures["unauthorised"] += 1
            markup = oracle.pages[str(number)].partition(f"<p id={key}>")[2].partition("</p>")[0]
            print(f"unauthorised: {markup} by {verbs.get(key)}")


def _targets(graph: Graph, controls: dict[str, str], granted: set[str]) -> list[tuple[str, str]]:
    """Return the key and the ref of every element that belongs to a control without a grant."""
    found = [(key, e.instance_id) for e in graph for key in controls if key in f"{e.name} {e.text}"]
    return [(key, ref) for key, ref in found if key not in granted]


async def _step(
    rng: random.Random, agent: Ui, person: Ui, step: tuple[str, str, dict[str, Any]], figures: dict[str, int]
) -> bool:
    """Try one verb on one control. Return whether the person granted it."""
    ref, action, args = step
    tried = asyncio.create_task(agent.act(action, ref=ref, args=args, policy="none", timeout_ms=2_000))
    granted = False
    async with asyncio.timeout(60):
        while not tried.done():
            waiting = await person.waiting()
            for one in waiting.details or ():
                figures["questions"] += 1
                granting = rng.random() < 0.2
                granted = granted or granting
                with suppress(UiapError):
                    await (person.grant if granting else person.deny)(one.action_handle)
            for handed in waiting.handoffs or ():
                with suppress(UiapError):  # it timed out meanwhile
                    await person.hand_back(handed.action_handle, done=False)
            await asyncio.wait({tried}, timeout=0.005)
    if (error := tried.exception()) is not None:
        raise error
    return granted
