"""Deltas: applying them gives what a fresh reading gives, whatever the page did."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.web.tab import KEYS, Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]

PAGE = """<!doctype html><title>Mutants</title>
<style>.off{display:none}.ghost{visibility:hidden}.far{position:absolute;left:-9999px}</style>
<body><header><a href=/home>Home</a><nav aria-label=Main><ul><li><a href=/a>A</a></li><li><a href=/b>B</a></li></ul></nav></header>
<main><h1 id=title>Users</h1><p id=intro>There are <b>three</b> users.</p>
<form id=form aria-labelledby=title><fieldset><legend>Who</legend><label>Name <input id=name name=name></label>
<label for=mail>Mail</label><input id=mail type=email required><label><input type=checkbox id=ok> Agree</label>
<label><input type=radio name=r value=1 checked> One</label><label><input type=radio name=r value=2> Two</label>
<select id=pick><option>Red</option><option selected>Blue</option></select><textarea id=note>hello</textarea></fieldset>
<button>Send</button></form>
<table id=table><caption>People</caption><thead><tr><th>Name</th><th>Do</th></tr></thead><tbody id=rows>
<tr><td>Ann</td><td><button>Delete</button></td></tr><tr><td>Bob</td><td><button>Delete</button></td></tr>
<tr><td>Cid</td><td><button>Delete</button></td></tr></tbody></table>
<ul id=list aria-label=Things><li>one</li><li>two</li></ul>
<details id=more><summary>More</summary><p>Hidden words</p><button>Inside</button></details>
<div role=status id=status></div><div id=host></div><div id=box data-uiap-id=box><span>boxed</span></div></main>
<footer>The end</footer>
<script>host.attachShadow({mode:'open'}).innerHTML='<p>Shadow text</p><slot></slot><button>Deep</button>'</script></body>"""

# One seeded step of a page gone wild: inserts, removals, moves, renames, hiding, and values set without a word.
STEP = """
((seed) => {
  let state = seed * 2654435761 >>> 0;
  const rnd = (n) => { state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) >>> 0; return state % n; };
  const all = () => [...document.querySelectorAll('body *:not(script):not(style)')];
  const any = () => { const list = all(); return list[rnd(list.length)]; };
  const word = () => ['Alpha','Beta','Gamma','Delta','Omega'][rnd(5)] + rnd(90);
  const make = () => {
    const kinds = ['<button>W</button>', '<p>W <b>W</b></p>', '<a href="/x/W">W</a>', '<label>W <input></label>',
      '<ul><li>W</li><li><a href="#">W</a></li></ul>', '<div role=alert>W</div>', '<section aria-label=W><h2>W</h2>W</section>',
      '<table><tr><td>W</td><td><button>Go</button></td></tr></table>', '<div role=dialog aria-modal=true aria-label=W>W<button>OK</button></div>',
      '<div data-uiap-id=box>W</div>', '<span tabindex=0>W</span>', '<select><option>W<option>W</select>', '<div data-id=W><button>W</button></div>',
      '<div hidden>W<button>W</button></div>', '<img alt=W src="data:,">', '<article>W<button>W</button></article>'];
    const t = document.createElement('template');
    t.innerHTML = kinds[rnd(kinds.length)].replace(/W/g, () => word());
    return t.content.firstElementChild;
  };
  const ops = [
    () => any().append(make()),
    () => any().before(make()),
    () => { const e = any(); if (e.id !== 'host') e.remove(); },
    () => { const e = any(), t = any(); if (!e.contains(t)) t.append(e); },
    () => { const e = any(); e.parentElement && e.parentElement.prepend(e); },
    () => { const e = any(); if (e.firstChild && e.firstChild.nodeType === 3) e.firstChild.data = word(); },
    () => any().classList.toggle('off'),
    () => any().classList.toggle('ghost'),
    () => any().classList.toggle('far'),
    () => any().toggleAttribute('hidden'),
    () => any().toggleAttribute('inert'),
    () => any().setAttribute('aria-label', word()),
    () => any().removeAttribute('aria-label'),
    () => any().setAttribute('aria-labelledby', ['title', 'intro', 'nosuch', 'late'][rnd(4)]),
    () => any().id = ['late', 'title', 'mail', word()][rnd(4)],
    () => any().setAttribute('role', ['button', 'group', 'none', 'row', 'listitem', 'status'][rnd(6)]),
    () => any().removeAttribute('role'),
    () => any().toggleAttribute('disabled'),
    () => any().toggleAttribute('data-uiap-ignore'),
    () => any().setAttribute('data-uiap-id', ['box', 'crate'][rnd(2)]),
    () => any().setAttribute('aria-hidden', String(rnd(2) === 0)),
    () => any().setAttribute('aria-expanded', String(rnd(2) === 0)),
    () => { const e = document.querySelector('input[type=checkbox]'); if (e) e.checked = !e.checked; },
    () => { const e = document.querySelector('#name,input'); if (e) e.value = word(); },
    () => { const e = document.querySelector('select'); if (e) e.selectedIndex = rnd(3) - 1; },
    () => { const e = document.querySelectorAll('input[type=radio]')[rnd(2)]; if (e) e.checked = true; },
    () => { const e = document.querySelector('details'); if (e) e.open = !e.open; },
    () => { const e = document.getElementById('rows'); if (e) e.insertAdjacentHTML('beforeend', `<tr><td>${word()}</td><td><button>Delete</button></td></tr>`); },
    () => { const e = document.getElementById('rows'); if (e && e.firstElementChild) e.append(e.firstElementChild); },
    () => { const e = document.getElementById('host'); if (e && e.shadowRoot) e.shadowRoot.append(make()); },
    () => { const e = document.getElementById('host'); if (e) e.append(make()); },
    () => { document.title = word(); },
    () => { const e = any(); if (e.focus) e.focus(); },
    () => { const e = any(); if (e.tagName === 'LABEL') e.setAttribute('for', ['name', 'mail', 'ok'][rnd(3)]); },
    () => { const e = any(); e.tabIndex = rnd(2) - 1; },
    () => { const e = any(); const t = document.createElement('div'); t.className = 'wrap'; e.replaceWith(t); t.append(e); },
    () => { const e = any(); if (!['host'].includes(e.id) && e.tagName !== 'TBODY') e.replaceWith(...e.childNodes); },
    () => { const e = any(); if (!e.shadowRoot && e.tagName === 'DIV' && e.id !== 'host') e.attachShadow({mode: 'open'}).innerHTML = '<button>Late</button><slot></slot>'; },
  ];
  const count = 1 + rnd(6);
  const done = [];
  for (let i = 0; i < count; i++) { const n = rnd(ops.length); done.push(n); try { ops[n](); } catch (e) { if (!(e instanceof DOMException) && !(e instanceof TypeError)) throw e; } }
  return done.join(',');
})(SEED)
"""


def normal(graph: dict[str, Any]) -> dict[str, Any]:
    parts = {kind: {node[key]: node for node in graph[kind]} for kind, key in KEYS.items()}
    return {**parts, **{part: graph[part] for part in ("route", "focus", "modalStack")}}


def held(tab: Tab) -> dict[str, Any]:
    return {part: tab.graph[part] for part in (*KEYS, "route", "focus", "modalStack")}


async def assert_same_as_fresh(tab: Tab, story: str) -> None:
    await tab.settle()
    kept, order = held(tab), tab.order()
    fresh = (await tab.snapshot())["graph"]
    wanted = normal(fresh)
    for part in wanted:
        assert kept[part] == wanted[part], f"{part} differ after {story}"
    assert order == [node["instanceId"] for node in fresh["elements"]], f"order differs after {story}"


@pytest.mark.parametrize("seed", range(8))
async def test_deltas_add_up_to_a_fresh_reading_under_random_mutation(tab: Tab, seed: int) -> None:
    await tab.load(PAGE)
    story = []
    for step in range(9):
        story.append(await tab.evaluate(STEP.replace("SEED", str(seed * 1000 + step))))
        if step % 3 == 2:
            await assert_same_as_fresh(tab, f"seed {seed}: {json.dumps(story)}")
