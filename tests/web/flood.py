"""A page that changes 500 times per second, and a consumer that must not lose a revision (soak case PAGE-10MIN).

The consumer has the parts of every session: the driver and the store of the host. The memory of both sides is read ten
times during the run.
"""

# ruff: noqa: E501 (a page reads best as it is)
from __future__ import annotations

import asyncio
import os
import subprocess
import time
from pathlib import Path
from statistics import mean
from typing import Any

from msgspec import UNSET
from msgspec.structs import replace

from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.chromium.page.messages import GraphPush, read_push
from uiap.drivers.chromium.page.world import sdk_call
from uiap.drivers.events import AnyEvent, GraphChanged
from uiap.host.observation.page import Page
from uiap.spec.web import ElementNode

RATE, PARTS = 500, 10
PAGE = """<!doctype html><meta charset=utf-8><title>Flood</title><style>.off{display:none}</style>
<main><h1 id=h>Flood</h1><p role=status id=s>0</p><ul id=u aria-label=Items></ul>
<table aria-label=Rows><tbody id=t></tbody></table><form aria-label=F id=f></form></main><script>
for (let n = 0; n < 200; n++) {
  u.insertAdjacentHTML('beforeend', `<li data-id=i-${n}x><a href=/i/${n}>Item ${n}</a> <button>Edit</button></li>`);
  t.insertAdjacentHTML('beforeend', `<tr><td>User ${n}</td><td>${n}</td><td><button>Delete</button></td></tr>`);
  f.insertAdjacentHTML('beforeend', `<label>Field ${n} <input value=${n}></label>`);
}
var changes = 0, made = 1000, running = true;
const some = (list) => list[(changes * 7919) % list.length];
const kinds = [
  () => { s.textContent = String(changes); },
  () => { some(u.children).querySelector('a').firstChild.data = 'Item ' + changes; },
  () => { some(t.rows).cells[1].textContent = String(changes); },
  () => { some(u.querySelectorAll('button')).toggleAttribute('disabled'); },
  () => { some(f.querySelectorAll('input')).value = String(changes); },
  () => { some(t.rows).classList.toggle('off'); },
  () => { const li = some(u.children).cloneNode(true); li.dataset.id = `i-${made++}x`; some(u.children).after(li); u.lastElementChild.remove(); },
  () => { t.append(t.firstElementChild); },
  () => { some(t.querySelectorAll('button')).setAttribute('aria-label', 'Delete ' + changes); },
  () => { h.textContent = 'Flood ' + changes; },
];
const begun = performance.now();
const beat = () => {
  for (let due = Math.min(50, (performance.now() - begun) / 1000 * RATE - changes); due >= 1; due--) kinds[changes++ % kinds.length]();
  if (running) setTimeout(beat, 10);
};
beat();
</script>""".replace("RATE", str(RATE))  # fmt: skip


class Consumer:
    """Count the revisions; a gap, a resync or a refused delta counts as lost."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.revisions = 0
        self.lost = 0
        self._last: int | None = None

    def on_event(self, event: AnyEvent) -> None:
        if not isinstance(event, GraphChanged):
            return
        self.revisions += 1
        expected = None if self._last is None else self._last + 1
        fits = event.delta is not None and event.seq == expected and not self.page.tab().store.needs_resync
        self.lost += self._last is not None and not fits
        self._last = event.seq


async def flood(seconds: float, folder: Path) -> dict[str, Any]:
    file = folder / "flood.html"
    file.write_text(PAGE, "utf-8")
    chromium = await ChromiumBrowser.launch(environ=os.environ)
    driver = ChromiumDriver(chromium)
    page = Page(driver)
    try:
        await page.start()
        await driver.navigate(file.as_uri())
        consumer = Consumer(page)
        page.listen(consumer.on_event)
        return await _measure(driver, page, consumer, seconds)
    finally:
        await page.close()
        await chromium.close()


async def _measure(driver: ChromiumDriver, page: Page, consumer: Consumer, seconds: float) -> dict[str, Any]:
    begun = time.monotonic()
    samples: list[dict[str, float]] = []
    for part in range(1, PARTS + 1):
        await _until(begun + seconds * part / PARTS)
        samples.append(await _memory(driver))
    changes = await driver.evaluate("running = false; changes")
    spent = time.monotonic() - begun
    await driver.flush()
    differences = await _differences(driver, page)
    return {
        "seconds": round(spent),
        "changes": changes,
        "changes per second": round(changes / spent),
        "revisions": consumer.revisions,
        "revisions lost": consumer.lost,
        "elements that differ from a fresh snapshot": differences,
        f"page heap MiB at each of {PARTS} parts": _listed(samples, "heap"),
        "page heap ratio": _growth(samples, "heap"),
        "page nodes at each": _listed(samples, "nodes"),
        "Python RSS MiB at each": _listed(samples, "rss"),
        "Python RSS ratio": _growth(samples, "rss"),
    }


def _listed(samples: list[dict[str, float]], name: str) -> str:
    return " ".join(f"{one[name]:.4g}" for one in samples)


def _growth(samples: list[dict[str, float]], name: str) -> float:
    """Return the mean of the last half over the mean before it, without the first part, when caches still fill."""
    middle = len(samples) // 2
    return round(
        mean(one[name] for one in samples[middle:]) / mean(one[name] for one in samples[1:middle]), 3
    )


async def _until(moment: float) -> None:
    """Sleep for the length of the soak; it waits for no event."""
    while (left := moment - time.monotonic()) > 0:
        await asyncio.sleep(min(left, 1.0))


async def _memory(driver: ChromiumDriver) -> dict[str, float]:
    session = driver.context.tab().session
    await session.send("HeapProfiler.collectGarbage", timeout=30)
    await session.send("Performance.enable")
    metrics = (await session.send("Performance.getMetrics"))["metrics"]
    by_name = {metric["name"]: metric["value"] for metric in metrics}
    return {
        "heap": by_name["JSHeapUsedSize"] / 2**20,
        "nodes": by_name["Nodes"],
        "rss": _rss_mib(),
    }


def _rss_mib() -> float:
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return int(subprocess.run(command, capture_output=True, text=True, check=True).stdout) / 1024


async def _differences(driver: ChromiumDriver, page: Page) -> int:
    """Compare the store of the host with a new reading of the page: same elements, same order."""
    stored = [_without_position(element) for element in page.tab().store]
    tab = driver.context.tab()
    document = tab.frames.root.document
    assert document is not None
    push = read_push(await tab.evaluate_isolated(document, sdk_call("snapshot", {})), document.key, root=True)
    assert isinstance(push, GraphPush)
    fresh = [_without_position(element) for element in push.graph.elements]
    different = sum(one != other for one, other in zip(stored, fresh, strict=False))
    return different + abs(len(stored) - len(fresh))


def _without_position(element: ElementNode) -> ElementNode:
    """Return the element without the position that its delta carried."""
    metadata = {key: value for key, value in (element.metadata or {}).items() if key != "after"}
    return replace(element, metadata=metadata or UNSET)
