"""Measure each capability of the mobile-debug-mcp roadmap with a flow of its own on one page, and report its figure.

The truth is the page's own record of what happened to it. `docs/parity.md` names the figure of each capability.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import uiap
from bench.table import Claim, show
from uiap.graph.outline import token_count
from uiap.runtime import resolve

SUMMARY = "a flow and a figure for each capability of the roadmap of mobile-debug-mcp"
CARDS, ROWS = 6, 60

PAGE = """data:text/html,<title>Capabilities</title><style>.card{cursor:pointer;padding:8px}</style>
<p role=status id=out></p><button id=live>Live</button><button id=dead>Dead</button><div id=rows></div>
<div id=cards></div><button id=hold>Hold</button><button id=still>Still</button>
<input type=range aria-label=Native min=0 max=100 value=10><input type=number aria-label=Count min=0 max=9 value=1>
<div role=slider tabindex=0 aria-label=Keys aria-valuemin=0 aria-valuemax=10 aria-valuenow=2 id=keys>k</div>
<label><input type=checkbox id=check> Agree</label>
<script>
window.truth = [];
const show = (text) => { truth.push(text); out.textContent = text };
live.onclick = () => show("live"); dead.onclick = () => truth.push("dead");
hold.onpointerdown = () => { hold.t = setTimeout(() => show("held"), 400) };
hold.onpointerup = () => clearTimeout(hold.t);
keys.onkeydown = (e) => { const d = {ArrowRight: 1, ArrowLeft: -1}[e.key] ?? 0;
  keys.ariaValueNow = String(Number(keys.ariaValueNow) + d) };
for (let i = 0; i < CARDS; i++) {
  const card = document.createElement("div"); card.className = "card"; card.tabIndex = 0; card.role = "button";
  card.ariaLabel = "Card " + i;
  const title = document.createElement("h3"); title.textContent = "Title " + i; card.append(title);
  title.style.pointerEvents = "auto"; card.style.width = "400px"; title.style.float = "left";
  card.onclick = () => show("card " + i); cards.append(card) }
for (let i = 0; i < ROWS; i++) {
  const row = document.createElement("p"); row.textContent = "Row " + i; rows.append(row) }
</script>""".replace("CARDS", str(CARDS)).replace("ROWS", str(ROWS))


class Figure(NamedTuple):
    """The measured figure of one capability."""

    capability: str
    text: str
    met: bool


Flow = Callable[[uiap.Ui], Awaitable[Figure]]


async def _truth(ui: uiap.Ui) -> list[str]:
    return list(await ui.evaluate("truth.splice(0)"))


async def verification(ui: uiap.Ui) -> Figure:
    """Press a button with an effect and one without, and compare the reports with the page."""
    good = await ui.act("ui.activate", role="button", name="Live")
    bad = await ui.act("ui.activate", role="button", name="Dead", verify_ms=600)
    right = (good.status == "succeeded") + (bad.status == "failed")
    return Figure("R1", f"{right} of 2 reports agree with the page", right == 2)


async def identity(ui: uiap.Ui) -> Figure:
    """Rebuild an element between the reading and the press, and press it by its old reference."""
    found = (await ui.find("Live", role="button"))[0]
    await ui.evaluate(
        "live.replaceWith(Object.assign(live.cloneNode(true), {onclick: () => show('rebuilt')}))"
    )
    pressed = await ui.act("ui.activate", ref=found.instance_id)
    hit = await _truth(ui)
    right = (pressed.status == "succeeded") == ("rebuilt" in hit)
    return Figure("R2", f"{'no' if right else 'one'} wrong report after a rebuild", right)


async def waiting(ui: uiap.Ui) -> Figure:
    """Wait for a text that changes in place, and compare the tokens of the change with those of the page."""
    whole = await ui.outline()
    revision = (await ui.observe()).revision
    await ui.evaluate("void setTimeout(() => { rows.children[3].textContent = 'Row changed' }, 50)")
    changed = await ui.wait(since=revision)
    part = await ui.outline(since=revision)
    full, diff = token_count(str(whole)), token_count(str(part))
    text = f"an update in place ended the wait; its diff has {diff} of {full} tokens"
    return Figure("R3", text, bool(changed.changed) and diff * 2 < full)


async def actionability(ui: uiap.Ui) -> Figure:
    """Press cards by the text in them, with and without the resolution of containers, and count wrong hits."""
    missed = {}
    for with_containers in (True, False):
        with _containers(with_containers):
            missed[with_containers] = sum([await _misses_card(ui, n) for n in range(CARDS)])
    text = f"{missed[True]} of {CARDS} presses miss their card, {missed[False]} without the resolution of containers"
    return Figure("R4", text, missed[True] < missed[False])


async def _misses_card(ui: uiap.Ui, number: int) -> bool:
    await _truth(ui)
    title = f"Title {number}"
    leaf = next(one for one in await ui.observe() if one.role == "label" and title in (one.name, one.text))
    await ui.act("ui.activate", ref=leaf.instance_id, verify_ms=500)
    return f"card {number}" not in await _truth(ui)


@contextmanager
def _containers(used: bool) -> Iterator[None]:
    """Turn the preference for the pressable container off, for the comparison."""
    original = resolve._executable
    if not used:
        resolve._executable = lambda store, target, found, affordances: found
    try:
        yield
    finally:
        resolve._executable = original


SCALES: tuple[tuple[str, str, float], ...] = (
    ("slider", "Native", 70), ("spinbutton", "Count", 7), ("slider", "Keys", 8),
)  # fmt: skip


async def adjustment(ui: uiap.Ui) -> Figure:
    """Set a native slider, a number and a slider made of keys, and count successes and attempts."""
    results = [
        await ui.act("ui.setValue", role=role, name=name, args={"value": value})
        for role, name, value in SCALES
    ]
    done = sum(one.status == "succeeded" for one in results)
    attempts = sum(int(one.metadata.get("gesture", {}).get("attempts", 0)) for one in results)
    text = f"{done} of {len(SCALES)} set, with {attempts} steps and no repeated request"
    return Figure("R5", text, done == len(SCALES))


async def composites(ui: uiap.Ui) -> Figure:
    """Read a labelled checkbox as one control, and switch it."""
    found = [one for one in await ui.observe() if one.role == "checkbox"]
    one_control = len(found) == 1 and found[0].name == "Agree" and "toggle" in found[0].affordances
    switched = await ui.act("ui.toggle", role="checkbox", name="Agree")
    right = one_control and switched.status == "succeeded" and bool(await ui.evaluate("check.checked"))
    return Figure(
        "R6", f"{'1' if right else '0'} of 1 control of several nodes read and switched as one", right
    )


async def diagnostics(ui: uiap.Ui) -> Figure:
    """Log noise around one error that an action causes, and count what the trace keeps."""
    await ui.evaluate("void (window.noise = setInterval(() => console.log('tick'), 5))")
    await ui.evaluate(
        "void live.addEventListener('click', () => { throw new Error('no disk') }, {once: true})"
    )
    await ui.evaluate("new Promise((resolve) => setTimeout(resolve, 60))")
    pressed = await ui.act("ui.activate", role="button", name="Live", verify_ms=800)
    await ui.evaluate("clearInterval(noise)")
    trace = (await pressed.trace()).payload
    kept = [line.text for line in trace.lines if "no disk" in line.text]
    noise = [line.text for line in trace.lines if "tick" in line.text]
    text = f"{len(kept)} of 1 cause kept, {trace.noise} lines of noise left out, {len(noise)} kept"
    return Figure("R7", text, len(kept) == 1 and trace.noise > 0)


async def gestures(ui: uiap.Ui) -> Figure:
    """Hold a button that reacts to it, and one that does not."""
    held = await ui.act("x.uiap.longPress", role="button", name="Hold")
    still = await ui.act("x.uiap.longPress", role="button", name="Still", verify_ms=600)
    right = (held.status == "succeeded") + (still.status == "failed")
    return Figure("R8", f"{right} of 2 reports of long presses agree with the page", right == 2)


async def correlation(ui: uiap.Ui) -> Figure:
    """Press two buttons one after the other, and count signals in the wrong trace."""
    traces = []
    for name in ("Live", "Hold"):
        result = await ui.act("ui.activate", role="button", name=name, verify_ms=600)
        traces.append((result.payload.action_handle, (await result.trace()).payload))
    wrong = sum(trace.action_handle != handle for handle, trace in traces)
    return Figure("R10", f"{wrong} of {len(traces)} traces belong to another action", wrong == 0)


FLOWS: dict[str, Flow] = {
    "R1 state verification": verification,
    "R2 element identity": identity,
    "R3 waiting and focused snapshots": waiting,
    "R4 actionability": actionability,
    "R5 adjustable controls": adjustment,
    "R6 composite controls": composites,
    "R7 diagnostic filtering": diagnostics,
    "R8 and R9 gestures": gestures,
    "R10 trace correlation": correlation,
}


async def measure(*names: str) -> dict[str, Figure]:
    """Run the flows, each on a fresh page, and return their figures."""
    figures = {}
    async with uiap.open("about:blank") as ui:
        for name, flow in FLOWS.items():
            if not names or name.split()[0] in names:
                (await ui.navigate(PAGE)).check()
                figures[name] = await flow(ui)
    return figures


def run(*_options: Any) -> bool:
    figures = asyncio.run(measure())
    rows = [("capability", "figure"), *((name, one.text) for name, one in figures.items())]
    return show(SUMMARY, rows, [Claim(name, one.met) for name, one in figures.items()])
