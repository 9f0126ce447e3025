// One seeded step of a page gone wild: inserts, removals, moves, renames, hiding, and values set without a word.
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
    () => any().classList.toggle('press'),
    () => any().classList.toggle('pane'),
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
    () => { const e = document.querySelector('tr:nth-child(2)'); if (e) e.innerHTML = ['<th>W</th>', '<td>W</td><td><button>W</button></td>'][rnd(2)].replace(/W/g, () => word()); },
    () => { const e = document.querySelector('select'); if (e) e.prepend(new Option(word(), word())); },
    () => { const e = document.querySelector('input'); if (e) e.type = ['text', 'hidden', 'checkbox', 'password'][rnd(4)]; },
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
