"""From pushed messages to revisions: lost deltas, frames that appear and disappear, dialogs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from msgspec import UNSET

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, ContextOptions, WorldConfig
from uiap.drivers.driver import PerformDispatched
from uiap.drivers.events import GraphChanged, SignalObserved
from uiap.graph.store import Applied, GraphStore
from uiap.spec.web import PageGraph, SnapshotOptions

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

# A page script with one element that loses a delta and records the acknowledgements.
LOSSY_SCRIPT = """
globalThis.__uiap_boot = config => {
  const {frameKey, binding, secret} = JSON.parse(config);
  const push = message => globalThis[binding](JSON.stringify({key: secret, ...message}));
  const element = name =>
    ({instanceId: frameKey + 'e1', documentId: frameKey, role: 'button', name, state: {}, affordances: []});
  const graph = name => ({
    route: {url: location.href}, documents: [{documentId: frameKey, kind: 'root', access: 'full'}],
    elements: [element(name)], scopes: [], collections: [], opaqueRegions: [], focus: null, modalStack: [],
  });
  const renamed = name => ({elements: {updated: [{key: frameKey + 'e1', patch: {name}}]}});
  const acks = [];
  globalThis.__uiap = {
    ack: seq => { acks.push(seq); return '{}' },
    flush: () => '{"ok":true}',
    closedCandidates: () => '{"ids":[]}',
    snapshot: () => {
      const text = JSON.stringify({t: 'graph', seq: 5, key: secret, graph: graph('third')});
      push({t: 'delta', base: 5, seq: 6, delta: renamed('fourth')});
      return text;
    },
    acks: () => JSON.stringify(acks),
  };
  push({t: 'graph', seq: 1, graph: graph('first')});
  push({t: 'delta', base: 2, seq: 3, delta: renamed('second')});
};
"""


async def observe_until(
    driver: ChromiumDriver, recorder: Recorder, condition: Callable[[PageGraph], bool]
) -> PageGraph:
    async with asyncio.timeout(20):
        while not condition(graph := await driver.observe()):
            await recorder.more()
    return graph


def names(graph: PageGraph) -> list[object]:
    return [element.name for element in graph.elements]


def consume(recorder: Recorder) -> GraphStore:
    """Apply every event to a consumer's store, and return it."""
    store = GraphStore()
    for event in recorder.of(GraphChanged):
        if event.graph is not None:
            assert isinstance(store.load(event.graph, event.reason or "initial"), Applied)
        else:
            assert event.delta is not None and isinstance(store.apply(event.delta), Applied)
    return store


async def test_lost_delta_is_detected_and_the_document_is_reread(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    driver = ChromiumDriver(chromium, ContextOptions(world=WorldConfig(source=lambda: LOSSY_SCRIPT)))
    await driver.start(recorder)
    await driver.navigate(site.page("/forgetful", "<p>quiet"))
    # The delta on top of the new reading arrives before the reading itself, and is not lost.
    graph = await observe_until(driver, recorder, lambda graph: names(graph) == ["fourth"])
    assert consume(recorder).snapshot().elements == graph.elements
    tab = driver.context.tab()
    root = tab.frames.root.document
    assert root is not None and await tab.evaluate_isolated(root, "__uiap.acks()") == "[1,5,6]"
    await driver.close()


async def test_large_graph_in_parts_is_complete_and_in_document_order(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    buttons = "".join(f"<button>B{n}</button>" for n in range(1_200))
    await driver.navigate(site.page("/parts", buttons))
    graph = await driver.observe()
    assert [name for name in names(graph) if name] == [f"B{n}" for n in range(1_200)]


async def test_a_large_change_arrives_in_slices_and_a_flush_waits_for_all_of_them(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    """A page that changes everything at once holds the event loop only for one slice at a time."""
    await driver.navigate(site.page("/restless", "".join(f"<button>B{n}</button>" for n in range(1_000))))
    await driver.observe()
    known = len(recorder.of(GraphChanged))
    await driver.evaluate(
        "document.querySelectorAll('button').forEach((b, n) => { b.textContent = `C${n}` })"
    )
    await driver.flush()
    deltas = [event.delta for event in recorder.of(GraphChanged)[known:] if event.delta is not None]
    sizes = [len(delta.elements.updated or ()) for delta in deltas if delta.elements is not UNSET]
    assert sum(sizes) >= 1_000 and max(sizes) <= 250
    shown = [name for name in names(consume(recorder).snapshot()) if name]
    assert shown == [f"C{n}" for n in range(1_000)]


async def test_parts_of_an_unfinished_reading_are_discarded(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    broken = LOSSY_SCRIPT.replace(
        "push({t: 'graph', seq: 1",
        "push({t: 'part', seq: 9, elements: [element('stale')]});\n  push({t: 'graph', seq: 1",
    )
    driver = ChromiumDriver(chromium, ContextOptions(world=WorldConfig(source=lambda: broken)))
    await driver.start(recorder)
    await driver.navigate(site.page("/unfinished", "<p>quiet"))
    await observe_until(driver, recorder, lambda graph: names(graph) == ["fourth"])
    whole = [event.graph for event in recorder.of(GraphChanged) if event.graph is not None]
    assert [names(graph) for graph in whole][:1] == [["first"]]
    await driver.close()


async def test_hidden_frame_leaves_the_graph_and_returns_when_visible(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/inner", "<button>inner</button>")
    await driver.navigate(site.page("/hiding", "<p>outer</p><iframe id=f src='/inner'></iframe>"))
    await observe_until(driver, recorder, lambda graph: "inner" in names(graph))
    await driver.evaluate("f.style.display = 'none'")
    hidden = await observe_until(driver, recorder, lambda graph: "inner" not in names(graph))
    assert len(hidden.documents) == 1
    await driver.evaluate("f.style.display = ''")
    shown = await observe_until(driver, recorder, lambda graph: "inner" in names(graph))
    assert consume(recorder).snapshot().elements == shown.elements


async def test_navigated_frame_has_another_document(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/one", "<button>one</button>")
    site.page("/two", "<button>two</button>")
    await driver.navigate(site.page("/going", "<iframe id=f src='/one'></iframe>"))
    first = await observe_until(driver, recorder, lambda graph: "one" in names(graph))
    await driver.evaluate("f.src = '/two'")
    second = await observe_until(driver, recorder, lambda graph: "two" in names(graph))
    assert "one" not in names(second)
    assert first.documents[1].document_id != second.documents[1].document_id
    consume(recorder)


async def test_frame_that_navigates_to_another_origin_becomes_opaque(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/one", "<button>one</button>")
    await driver.navigate(site.page("/leaving", "<iframe id=f src='/one'></iframe>"))
    await observe_until(driver, recorder, lambda graph: "one" in names(graph))
    await driver.evaluate(f"f.src = '{site.url('/one', '127.0.0.1')}'")
    graph = await observe_until(
        driver, recorder, lambda graph: [d.access for d in graph.documents] == ["full", "opaque"]
    )
    assert "one" not in names(graph)
    consume(recorder)


async def test_page_that_opens_a_dialog_while_loading_is_published_after_the_answer(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    outcome = await driver.navigate(
        site.page("/greets", "<script>alert('hello')</script><button>After</button>")
    )
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "dialog"
    await driver.dialog.answer(True)
    await observe_until(driver, recorder, lambda graph: "After" in names(graph))


async def test_page_that_changes_all_the_time_can_be_read_and_clicked(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    flood = "setInterval(() => { for (let i = 0; i < 50; i++) b.children[i].textContent = n++ }, 4)"
    page = f"""<button onclick='clicked = true'>Stop</button><div id=b>{"<p role=status>x</p>" * 50}</div>
      <script>n = 0; clicked = false; {flood}</script>"""
    await driver.navigate(site.page("/flood", page))
    graph = await driver.observe()
    (node,) = [element.instance_id for element in graph.elements if element.name == "Stop"]
    assert isinstance(await driver.perform(Click(guard=Guard(node=node, name="Stop"))), PerformDispatched)
    assert await driver.evaluate("clicked") is True
    consume(recorder)


async def test_boxes_are_measured_on_request(driver: ChromiumDriver, recorder: Recorder, site: Site) -> None:
    await driver.navigate(site.page("/boxes", "<button style='width:120px'>Wide</button>"))
    graph = await driver.observe(SnapshotOptions(include_bbox=True))
    (box,) = [element.bbox for element in graph.elements if element.name == "Wide"]
    assert box and box.width == 120
    consume(recorder)


QUIET_ASKS = 20
"""The browser is asked this often: one answer depends on the load of the machine."""


@pytest.mark.parametrize(
    "script",
    [
        "",
        "setTimeout(() => {}, 60000)",
        "clearInterval(setInterval(() => {}, 5))",
        "clearTimeout(setTimeout(() => {}, 30))",
    ],
    ids=["no timer", "a late timer", "an interval that was cleared", "a timer that was cleared"],
)
async def test_a_page_is_quiet_ahead_if_none_of_its_timers_is_due_soon(
    driver: ChromiumDriver, site: Site, script: str
) -> None:
    await driver.navigate(site.page("/static", f"<p>quiet<script>{script}</script>"))
    assert (await driver.schedule()).quiet_for >= 0.04


@pytest.mark.parametrize(
    "script",
    [
        "setInterval(() => {}, 5)",
        "(function again() { setTimeout(again, 20) })()",
        "window.again = () => setTimeout('again()', 20); again()",
        "(function again() { requestAnimationFrame(again) })()",
        "(function again() { scheduler.postTask(again, { delay: 20 }) })()",
    ],
    ids=["an interval", "a chain of timers", "timers of text", "frames", "delayed tasks"],
)
async def test_a_page_is_not_quiet_ahead_while_its_timers_are_due(
    driver: ChromiumDriver, site: Site, script: str
) -> None:
    await driver.navigate(site.page("/ticking", f"<p>ticking<script>{script}</script>"))
    # on a full processor a timer may be late
    assert any([(await driver.schedule()).quiet_for < 0.04 for _ in range(QUIET_ASKS)])


async def test_a_page_with_a_frame_is_never_known_to_be_quiet(driver: ChromiumDriver, site: Site) -> None:
    inner = site.page("/inner", "<p>inner")
    await driver.navigate(site.page("/outer", f"<iframe src='{inner}'></iframe>"))
    while len((await driver.observe()).documents) < 2:
        pass
    assert (await driver.schedule()).quiet_for == 0.0


async def test_a_document_that_is_not_parsed_yet_is_loading(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    release = site.gate("/slow.js")
    site.page("/slow.js", "", headers={"Content-Type": "text/javascript"})
    body = "<p>first</p><script src=/slow.js></script><div class='flash error'>Not saved</div><button>Later</button>"
    navigating = asyncio.ensure_future(driver.navigate(site.page("/parsing", body)))
    tab = driver.context.tab()

    def early() -> PageGraph | None:
        graphs = [event.graph for event in recorder.of(GraphChanged) if event.graph is not None]
        return graphs[-1] if graphs and graphs[-1].route.path == "/parsing" else None

    assert await tab.wait_until(lambda: early() is not None, 10)
    first = early()
    assert first is not None and first.route.status == "loading"
    assert not [one for one in first.elements if one.role == "button"]
    assert not [one for one in recorder.of(SignalObserved) if "Not saved" in str(one.signal)]
    release()
    await navigating
    complete = await driver.observe()
    assert complete.route.status is UNSET
    assert [one.name for one in complete.elements if one.role == "button"] == ["Later"]
    assert await tab.wait_until(
        lambda: any("Not saved" in str(one.signal) for one in recorder.of(SignalObserved)), 10
    )


async def test_what_a_page_draws_after_scrolling_is_there_once_it_has_drawn(
    driver: ChromiumDriver, site: Site
) -> None:
    box = "<div id=box style='height:50px;overflow:auto'><p style='height:900px'>long</div>"
    code = "box.onscroll = () => requestAnimationFrame(() => { document.title = 'drawn' })"
    await driver.navigate(site.page("/scrolling", f"{box}<script>{code}</script>"))
    await driver.evaluate("box.scrollTop = 100")
    await driver.drawn()
    assert await driver.evaluate("document.title") == "drawn"
