"""Boundaries of the isolated world: which documents are read, and what scripts of the page cannot do."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver, ContextOptions, WorldConfig
from uiap.drivers.chromium.page.element_ids import document_key
from uiap.drivers.events import ConsoleLine, DriverEvent, GraphChanged, Navigated, PageError, SignalObserved
from uiap.spec.web import DocumentNode, PageGraph

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

CANARY = "canary-7f3a"


async def observe_until_documents(driver: ChromiumDriver, recorder: Recorder, count: int) -> PageGraph:
    """Observe until the graph has `count` documents; frames load one after the other."""
    async with asyncio.timeout(15):
        while len((graph := await driver.observe()).documents) < count:
            await recorder.more()
    return graph


def by_origin(graph: PageGraph) -> dict[object, DocumentNode]:
    return {document.origin: document for document in graph.documents if document.kind == "frame"}


def everything_reported(events: Sequence[DriverEvent], graph: PageGraph) -> str:
    return repr([event for event in events if isinstance(event, GraphChanged)]) + repr(graph)


@pytest.mark.requirement("DISC-2.5", "DISC-12.2")
async def test_frame_of_another_host_is_opaque_and_its_content_is_never_reported(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/secret", f"<title>{CANARY}</title><button>{CANARY}</button>")
    foreign = site.url("/secret?token=canary-7f3a", "127.0.0.1")
    await driver.navigate(site.page("/oopif", f"<button>ours</button><iframe src='{foreign}'></iframe>"))
    graph = await observe_until_documents(driver, recorder, 2)
    frame = by_origin(graph)[f"http://127.0.0.1:{site.port}"]
    assert (frame.access, frame.parent_document_id) == ("opaque", graph.documents[0].document_id)
    assert frame.host_instance_id in {element.instance_id for element in graph.elements}
    assert not [node for node in graph.elements if node.document_id == frame.document_id]
    regions = [region for region in graph.opaque_regions or () if region.kind == "cross_origin_frame"]
    assert [region.host_instance_id for region in regions] == [frame.host_instance_id]
    assert CANARY not in everything_reported(recorder.events, graph)


@pytest.mark.requirement("DISC-2.5", "DISC-12.2")
async def test_frame_on_another_port_shares_the_process_but_is_opaque(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/secret", f"<title>{CANARY}</title><button>{CANARY}</button>")
    foreign = site.url("/secret", other=True)
    await driver.navigate(site.page("/port", f"<button>ours</button><iframe src='{foreign}'></iframe>"))
    graph = await observe_until_documents(driver, recorder, 2)
    frame = by_origin(graph)[f"http://localhost:{site.other_port}"]
    tab = driver.context.tab()
    sessions = {document.session.id for document in tab.frames.documents}
    assert len(sessions) == 1  # the hard case: our script is injected there too
    assert frame.access == "opaque"
    assert CANARY not in everything_reported(recorder.events, graph)


async def test_sandboxed_frame_has_its_own_origin_and_is_opaque(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    inner = f"<iframe sandbox srcdoc='<button>{CANARY}</button>'></iframe>"
    await driver.navigate(site.page("/sandbox", inner))
    graph = await observe_until_documents(driver, recorder, 2)
    assert by_origin(graph)["null"].access == "opaque"
    assert CANARY not in everything_reported(recorder.events, graph)


async def test_srcdoc_frame_has_the_origin_of_its_parent(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    inner = "<iframe srcdoc='<button>written here</button>'></iframe>"
    await driver.navigate(site.page("/srcdoc", inner))
    graph = await observe_until_documents(driver, recorder, 2)
    assert [document.access for document in graph.documents] == ["full", "full"]
    assert "written here" in {element.name for element in graph.elements}


async def test_frame_of_the_same_origin_is_merged_with_its_parent(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/inner", "<button>inner</button><iframe src='/innermost'></iframe>")
    site.page("/innermost", "<button>innermost</button>")
    await driver.navigate(site.page("/outer", "<button>outer</button><iframe src='/inner'></iframe>"))
    graph = await observe_until_documents(driver, recorder, 3)
    assert {element.name for element in graph.elements} >= {"outer", "inner", "innermost"}
    assert [document.access for document in graph.documents] == ["full", "full", "full"]
    parents = {document.document_id: document.parent_document_id for document in graph.documents}
    ids = list(parents)
    assert [parents[key] for key in ids[1:]] == ids[:2]
    elements = {element.instance_id: element.document_id for element in graph.elements}
    assert [elements[str(d.host_instance_id)] for d in graph.documents[1:]] == ids[:2]


async def test_frame_that_starts_empty_and_is_navigated_by_script_is_read(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    script = "f.contentWindow.touched = 1; f.src = '/late'"
    site.page("/late", "<button>late</button>")
    await driver.navigate(site.page("/early", f"<iframe id=f></iframe><script>{script}</script>"))
    async with asyncio.timeout(15):
        while "late" not in {element.name for element in (await driver.observe()).elements}:
            await recorder.more()


async def test_removed_frame_removes_its_elements_from_the_graph(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/inner", "<button>inner</button>")
    await driver.navigate(site.page("/removing", "<iframe src='/inner'></iframe>"))
    graph = await observe_until_documents(driver, recorder, 2)
    inner = graph.documents[1].document_id
    await driver.evaluate("document.querySelector('iframe').remove()")
    gone = await recorder.first(
        GraphChanged,
        lambda event: bool(
            event.delta and event.delta.documents and inner in (event.delta.documents.removed or ())
        ),
    )
    assert gone.delta is not None and gone.delta.elements
    removed = gone.delta.elements.removed
    assert removed and all(document_key(id) == inner for id in removed)
    assert [d.kind for d in (await driver.observe()).documents] == ["root"]


async def test_bridged_origin_is_read_and_marked_as_bridged(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    partner = f"http://127.0.0.1:{site.port}"
    driver = ChromiumDriver(chromium, ContextOptions(world=WorldConfig(bridged_origins=frozenset({partner}))))
    await driver.start(recorder)
    site.page("/partner", "<button>partner</button>")
    await driver.navigate(site.page("/bridge", f"<iframe src='{partner}/partner'></iframe>"))
    graph = await observe_until_documents(driver, recorder, 2)
    assert by_origin(graph)[partner].access == "bridged"
    assert "partner" in {element.name for element in graph.elements}
    await driver.close()


@pytest.mark.requirement("DISC-2.5", "DISC-12.5")
async def test_closed_shadow_root_is_a_region_without_content(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    page = f"""<x-closed style="display:block;width:80px;height:30px"></x-closed><script>
      customElements.define('x-closed', class extends HTMLElement {{
        constructor() {{ super(); this.attachShadow({{mode: 'closed'}}).innerHTML = '<button>{CANARY}</button>'; }}
      }});</script>"""
    await driver.navigate(site.page("/closed", page))

    def closed(graph: PageGraph) -> bool:
        return any(region.kind == "closed_shadow" for region in graph.opaque_regions or ())

    async with asyncio.timeout(15):
        while not closed(graph := await driver.observe()):
            await recorder.more()
    assert CANARY not in everything_reported(recorder.events, graph)


async def test_page_has_its_own_registry_and_neither_the_binding_nor_our_globals(
    driver: ChromiumDriver, site: Site
) -> None:
    await driver.navigate(site.page("/names", "<p>quiet"))
    names = "Object.getOwnPropertyNames(window).filter(n => n.includes('uiap')).sort()"
    assert await driver.evaluate(names) == ["__uiap_actions", "uiap"]
    assert await driver.evaluate("Object.keys(uiap)") == ["registerAction", "unregisterAction"]
    assert await driver.evaluate("Object.keys(__uiap_actions)") == ["list", "call"]


async def test_strict_policies_do_not_stop_the_page_script_and_are_not_violated(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    policy = "default-src 'none'; require-trusted-types-for 'script'; report-uri /csp"
    headers = {"Content-Security-Policy": policy, "Cross-Origin-Opener-Policy": "same-origin"}
    await driver.navigate(site.page("/strict", "<button>strict</button>", headers=headers))
    assert "strict" in [element.name for element in (await driver.observe()).elements]
    assert not [line for line in recorder.of(ConsoleLine) if "Content Security Policy" in line.text]
    assert "/csp" not in site.requests


LYING_SCRIPT = """
globalThis.__uiap_boot = config => {
  const {frameKey, binding, secret} = JSON.parse(config);
  const push = message => globalThis[binding](typeof message === 'string' ? message : JSON.stringify(message));
  const graph = (id, doc = frameKey) => ({
    route: {url: location.href}, documents: [{documentId: frameKey, kind: 'root', access: 'full'}],
    elements: [{instanceId: id, documentId: doc, role: 'button', name: id, state: {}, affordances: []}],
    scopes: [], collections: [], opaqueRegions: [], focus: null, modalStack: [],
  });
  globalThis.__uiap = {ack() {}, flush: () => '{"ok":true}', closedCandidates: () => '{"ids":[]}'};
  push('no json at all');
  push({t: 'graph', seq: 1, key: 'guessed', graph: graph(frameKey + 'e1')});
  push({t: 'graph', seq: 1, key: secret, graph: graph('d999e1')});
  push({t: 'graph', seq: 1, key: secret, graph: graph(frameKey + 'e1', 'd999')});
  push({t: 'graph', seq: 1, key: secret, graph: {elements: 7}});
  push({t: 'invented', seq: 1, key: secret});
  push({t: 'graph', seq: 1, key: secret, graph: graph(frameKey + 'e1')});
};
"""


async def test_invalid_messages_are_rejected_one_by_one(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    driver = ChromiumDriver(chromium, ContextOptions(world=WorldConfig(source=lambda: LYING_SCRIPT)))
    await driver.start(recorder)
    url = site.page("/liar", "<p>quiet")
    await driver.navigate(url)
    began = next(n for n, e in enumerate(recorder.events) if isinstance(e, Navigated) and e.url == url)
    since = recorder.events[began:]  # skip the messages of the initial empty page
    refused = [event for event in since if isinstance(event, PageError) and event.source == "channel"]
    graphs = [event.graph for event in since if isinstance(event, GraphChanged)]
    assert len(refused) == 6
    assert len(graphs) == 1 and graphs[0] is not None and len(graphs[0].elements) == 1
    await driver.close()


async def test_call_of_the_binding_from_another_world_is_ignored(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    await driver.navigate(site.page("/other-world", "<p>quiet"))
    tab = driver.context.tab()
    await tab.session.send(
        "Runtime.addBinding", {"name": "__uiap_push"}
    )  # give the page a binding that it must not have
    recorder.events.clear()
    await driver.evaluate(
        "__uiap_push(JSON.stringify({t: 'signal', seq: 1, signal: {kind: 'toast.shown', text: 'paid'}}))"
    )
    await driver.flush()
    assert not recorder.of(SignalObserved)
