"""Iteration and outline of a graph follow the document after late insertions and moves."""

from __future__ import annotations

import msgspec
import pytest

from tests.web.tab import Message, Tab
from uiap.drivers.chromium.page.merge import TabGraph
from uiap.drivers.chromium.page.messages import FrameDelta, FrameGraph
from uiap.graph.outline import outline
from uiap.graph.store import GraphStore
from uiap.spec.web import DocumentNode

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<title>t</title><main id=m><h1>Things</h1><ul id=l><li><button>a</button><li><button>b</button></ul>
<div id=w><p>text</p><section aria-label=S><button>c</button></section></div><nav id=n><a href=/1>one</a></nav>
<x-box id=h><b slot=s>slotted</b><button>light</button></x-box></main><script>
h.attachShadow({mode: 'open'}).innerHTML = '<button>shadow</button><slot name=s></slot><slot></slot>';</script>"""
# One seeded step: a late insertion or a move, through wrappers, shadow trees and slots.
STEP = """((seed) => {
  let state = seed * 2654435761 >>> 0;
  const rnd = (n) => { state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0; return (state >>> 8) % n; };
  const deep = (root) => [...root.querySelectorAll('*')].flatMap((e) => e.shadowRoot ? [e, ...deep(e.shadowRoot)] : [e]);
  const all = () => deep(document.body).filter((e) => !['SCRIPT', 'SLOT', 'TITLE'].includes(e.tagName));
  const any = () => { const list = all(); return list[rnd(list.length)]; };
  const make = () => {
    const kinds = ['<button>W</button>', '<p>W <a href=/W>W</a></p>', '<section aria-label=W><h2>W</h2><button>W</button></section>',
      '<ul><li>W</li><li><button>W</button></li></ul>', '<span><span><button>W</button></span></span>', '<div role=status>W</div>',
      '<div><img alt=W src="data:,"><button>W</button></div>', '<fieldset><legend>W</legend><label>W <input></label></fieldset>'];
    const t = document.createElement('template');
    t.innerHTML = kinds[rnd(kinds.length)].replace(/W/g, () => 'w' + rnd(1000));
    return t.content.firstElementChild;
  };
  const move = (e, put) => { if (e.id !== 'm') put(e); };
  const ops = [
    () => any().before(make()), () => any().after(make()), () => any().prepend(make()), () => any().append(make()),
    () => move(any(), (e) => { const t = any(); if (!e.contains(t) && t !== e) t.before(e); }),
    () => move(any(), (e) => { const t = any(); if (!e.contains(t)) t.prepend(e); }),
    () => move(any(), (e) => e.parentNode.append(e)), () => move(any(), (e) => e.parentNode.prepend(e)),
    () => { const p = any(); for (const e of [...p.children].reverse()) if (e.tagName !== 'SLOT') p.append(e); },
    () => move(any(), (e) => { const d = document.createElement('div'); e.replaceWith(d); d.append(make(), e, make()); }),
    () => move(any(), (e) => { if (e.children.length && !e.shadowRoot && e.id !== 'l') e.replaceWith(...e.childNodes); }),
    () => any().toggleAttribute('hidden'), () => any().setAttribute('role', ['group', 'none', 'list', 'button'][rnd(4)]),
    () => { const e = any(); e.slot = e.slot ? '' : 's'; },
    () => { const f = document.createDocumentFragment(); f.append(make(), make(), make()); any().before(f); },
  ];
  for (let i = 0; i < 4; i++) { try { ops[rnd(ops.length)](); } catch (error) { if (error.name !== 'HierarchyRequestError') throw error; } }
})(SEED)"""
DOCUMENT = DocumentNode(document_id="f0", kind="root", access="full")


class Mirror:
    """The store of a consumer, fed with the messages of a tab as the driver feeds it."""

    def __init__(self, first: Message) -> None:
        self._merged = TabGraph(lambda: "2026-01-01T00:00:00Z")
        self.store = GraphStore()
        self.store.load(self._merged.begin(DOCUMENT, msgspec.convert(first["graph"], FrameGraph)))

    def take(self, message: Message) -> None:
        self.store.apply(self._merged.apply_delta("f0", msgspec.convert(message["delta"], FrameDelta)))


def lines(store: GraphStore) -> list[str]:
    """Return the outline without its heading, which names the revision."""
    return outline(store).splitlines()[1:]


def groups(store: GraphStore) -> dict[str, list[str]]:
    """Return the ids of every role and scope, as the store lists them."""
    roles = {one.role for one in store}
    found = {role: [one.instance_id for one in store.by_role(role)] for role in roles}
    return found | {scope: [one.instance_id for one in store.by_scope(scope)] for scope in store.scopes}


@pytest.mark.parametrize("seed", range(8))
async def test_iteration_and_outline_follow_the_document_after_late_insertions_and_moves(
    tab: Tab, seed: int
) -> None:
    await tab.load(PAGE)
    first = next(m for m in tab.messages if m["t"] == "graph")
    mirror, taken = Mirror(first), 0
    for step in range(6):
        await tab.evaluate(STEP.replace("SEED", str(seed * 100 + step)))
        await tab.settle()
        deltas = [m for m in tab.messages if m["t"] == "delta"]
        for delta in deltas[taken:]:
            mirror.take(delta)
        taken = len(deltas)
    fresh = Mirror(await tab.snapshot()).store
    assert [one.instance_id for one in mirror.store] == [one.instance_id for one in fresh]
    assert lines(mirror.store) == lines(fresh)
    assert groups(mirror.store) == groups(fresh)
