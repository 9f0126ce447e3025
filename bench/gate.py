"""Ask policy about controls that a stranger wrote without knowing its rules, on real pages in Chromium.

Options: `--half=tune` or `--half=measure`, `--level=ask` or `--level=assist`, `--names=yes` (name the wrong controls
of the tuning half; the other half only counts).
"""

from __future__ import annotations

import asyncio
import http.server
import os
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from bench.table import Claim, show
from uiap.api.open_session import in_process_sessions
from uiap.api.ui import Ui
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.errors import UiapError
from uiap.host.sessions.session_services import SessionServices
from uiap.policy.autonomy import Autonomy, rules_at
from uiap.spec.policy import PolicyPrincipal

SUMMARY = "controls of a stranger: what must ask a person, and what must be free"
CASES = Path(__file__).parents[1] / "tests" / "attack" / "strangers_gate.json"
HALVES, LEVELS = ("tune", "measure"), ("ask", "assist")
REFUSALS = ("execution_mode_unavailable", "action_unsupported", "target_not_interactable")
"""Errors of an action that reached nothing of the page."""
AGENT = PolicyPrincipal(type="agent", id="agent")
PERSON = PolicyPrincipal(type="user", id="person")


class Target(msgspec.Struct, frozen=True):
    """The role and the accessible name of a control; without a role, its visible text."""

    role: str | None
    name: str


class GateCase(msgspec.Struct, frozen=True, rename={"kind": "class"}):
    """One control, and whether it must ask."""

    half: str
    must: str
    kind: str
    lang: str
    verb: str
    target: Target
    html: str
    args: dict[str, Any] = {}


def read_cases() -> tuple[GateCase, ...]:
    return tuple(msgspec.json.decode(CASES.read_bytes(), type=list[GateCase]))


@contextmanager
def serving(cases: Sequence[GateCase]) -> Iterator[str]:
    """Serve each case as a page of its own, and answer everything else with an empty page."""

    class Site(http.server.BaseHTTPRequestHandler):
        def _answer(self) -> None:
            _, _, number = self.path.rpartition("/case/")
            case = cases[int(number)] if number.isdecimal() and int(number) < len(cases) else None
            lang, html = ("en", "") if case is None else (case.lang, case.html)
            page = (
                f"<!doctype html><html lang={lang}><meta charset=utf-8><title>Page</title><body>{html}</body>"
            )
            body = page.encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = _answer  # noqa: N815 (the names of the base class)

        def log_message(self, *_: object) -> None:
            return

    class Quiet(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: object) -> None:
            """Ignore a page that leaves before its answer."""

    with Quiet(("localhost", 0), Site) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield f"http://localhost:{served.server_port}"
        served.shutdown()


@asynccontextmanager
async def sessions(browser: ChromiumBrowser, level: Autonomy) -> Any:
    async with AsyncExitStack() as stack:
        services = SessionServices(ChromiumDriver(browser), rules=rules_at(level))
        stack.push_async_callback(services.close)
        await services.start()
        callers = await stack.enter_async_context(in_process_sessions(services, (AGENT, PERSON)))
        yield tuple(Ui(one, AsyncExitStack()) for one in callers)


async def decide(agent: Ui, case: GateCase) -> str:
    """Return the decision of policy: `allow`, `confirm`, `handoff`, `deny`, or `refused` with the reason."""
    where: dict[str, Any] = {"role": case.target.role, "name": case.target.name}
    if not case.target.role or not case.target.name:
        ref = await find(agent, case.target)
        if ref is None:
            return "refused: there is no such control"
        where = {"ref": ref}
    try:
        effect: str = (await agent.preflight(case.verb, args=case.args, **where)).effect
        if effect == "allow" and case.must == "ask":  # the gesture itself may refuse
            done = await agent.act(case.verb, args=case.args, policy="none", timeout_ms=2_000, **where)
            effect = "refused" if done.error is not None and done.error.code in REFUSALS else effect
    except UiapError as error:
        return f"refused: {error}"
    return effect


async def find(agent: Ui, target: Target) -> str | None:
    """Return the ref of the control with this visible text, or of the one with this role and no name."""
    found = [
        one
        for one in await agent.observe()
        if (one.role == target.role and not one.name)
        or (target.role is None and target.name in ((one.name or "").strip(), (one.text or "").strip()))
    ]
    able = [one for one in found if "activate" in one.affordances]
    return next((one.instance_id for one in (*able, *found)), None)


async def judge(level: Autonomy, cases: Sequence[GateCase]) -> list[tuple[GateCase, str]]:
    """Return each case with its decision at this level."""
    browser = await ChromiumBrowser.launch(environ=os.environ)
    found = []
    with serving(cases) as origin:
        async with sessions(browser, level) as (agent, person):
            for number, case in enumerate(cases):
                await person.act("nav.navigate", args={"url": f"{origin}/case/{number}"}, policy="none")
                await agent.outline()
                found.append((case, await decide(agent, case)))
    await browser.close()
    return found


def is_right(case: GateCase, decision: str) -> bool:
    return (decision == "allow") is (case.must == "free")


def run(*options: str) -> bool:
    chosen_by = dict(one.removeprefix("--").split("=", 1) for one in options)
    half, level = chosen_by.get("half", ""), chosen_by.get("level", "")
    chosen = [one for one in read_cases() if half in ("", one.half)]
    rows: list[tuple[str, ...]] = [("level", "half", "must ask: asked", "must be free: free")]
    let_go = Counter[str]()
    for at in [level] if level else LEVELS:
        decided = asyncio.run(judge(at, chosen))  # type: ignore[arg-type]
        for part in HALVES:
            ours = [(case, found) for case, found in decided if case.half == part]
            if ours:
                rows.append((at, part, *(_count(ours, must) for must in ("ask", "free"))))
            let_go[part] += sum(one.must == "ask" and not is_right(one, found) for one, found in ours)
        for case, found in decided if "names" in chosen_by else ():
            if case.half == "tune" and not is_right(case, found):
                print(f"{at}: must {case.must} ({case.kind}), {found}: {case.verb} {case.target} {case.html}")
    claims = [Claim(f"{part}: {let_go[part]} controls let go = 0", let_go[part] == 0) for part in HALVES]
    return show("controls of a stranger", rows, claims)


def _count(decided: Sequence[tuple[GateCase, str]], must: str) -> str:
    ours = [is_right(case, found) for case, found in decided if case.must == must]
    return f"{sum(ours)} of {len(ours)}"
