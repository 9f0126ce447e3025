"""Effects that only the look of an element shows: a class, an attribute, a generated sign."""

from __future__ import annotations

from urllib.parse import quote

import pytest

import uiap

PAGE = """<!doctype html><title>Looks</title>
<style>
button.lit.lit { color: orange } .dim { opacity: .4 } .unread::before { content: "● " }
button { transition: background-color .1s }
@keyframes sway { 20% { transform: translateX(-7px) } 60% { transform: translateX(7px) } } .sway { animation: sway .5s }
.done { text-decoration: line-through }
button:hover { background: #eee } button:focus { outline: 2px solid; color: navy } .pressed { background: #ccc }
.has-error { border: 2px solid #c00 } .loading { opacity: .5 } :host { color: red }
</style>
<button onclick="this.classList.add('lit')">Star</button>
<button onclick="setTimeout(() => this.style.background = 'green', 100)">Seat</button>
<button onclick="for (const li of document.querySelectorAll('li')) li.className = ''">Read all</button>
<button onclick="this.querySelector('use').setAttribute('href', '#full')"><svg><use href="#empty"/></svg>Heart</button>
<button onclick="this.style.outline = '2px solid black'">Swatch</button>
<button onclick="this.dataset.clicked = 1">Counted</button>
<button onclick="this.classList.add('lit'); setTimeout(() => this.classList.remove('lit'), 200)">Flash</button>
<button onclick="this.classList.add('has-error')">Refused</button>
<button onclick="this.classList.add('loading')">Loading</button>
<button onmousedown="this.classList.add('pressed')" onclick="setTimeout(() => this.classList.remove('pressed'), 150)">
Pressed</button>
<button onclick="this.classList.add('sway')">Sway</button>
<div id=list onclick="this.innerHTML = '<p class=done>Milk</p>'"><p>Milk</p></div>
<div id=same onclick="this.innerHTML += ''"><p>Salt</p></div>
<ul><li class=unread>Kim<li class=unread>Lee</ul>"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("names", "changed"),
    [
        (("Star", "Seat", "Read all", "Heart", "Swatch"), True),
        (("Counted", "Flash", "Refused", "Loading", "Pressed", "Sway"), False),
    ],
)
async def test_a_look_is_an_effect_only_if_code_of_the_press_changed_it_for_good(
    names: tuple[str, ...], changed: bool
) -> None:
    async with uiap.open(f"data:text/html,{quote(PAGE)}") as ui:
        for name in names:
            found = await ui.act("ui.activate", role="button", name=name)
            assert (found.error is None) is changed, f"{name}: {found}"


@pytest.mark.browser
async def test_an_element_that_is_rendered_again_with_another_look_is_an_effect() -> None:
    async with uiap.open(f"data:text/html,{quote(PAGE)}") as ui:
        assert (await ui.act("ui.activate", text="Milk")).error is None
        assert (await ui.act("ui.activate", text="Salt")).error is not None


SHADOW_PAGE = """<!doctype html><title>Views</title><x-views></x-views><script>
customElements.define('x-views', class extends HTMLElement {
  connectedCallback() {
    const root = this.attachShadow({mode: 'open'});
    root.innerHTML = `<style>
      .on { box-shadow: inset 0 2px 4px #888 } .bad { box-shadow: 0 0 4px rgb(200, 0, 0) }
      </style>
      <button class=on>Sea</button><button>Garden</button><button>Refused</button>`;
    const all = [...root.querySelectorAll('button')];
    for (const one of all.slice(0, 2)) one.onclick = () => all.forEach((b) => b.classList.toggle('on', b === one));
    all[2].onclick = () => all[2].classList.add('bad');
  }
});
</script>"""


@pytest.mark.browser
async def test_the_look_of_a_choice_in_a_shadow_tree_is_an_effect() -> None:
    async with uiap.open(f"data:text/html,{quote(SHADOW_PAGE)}") as ui:
        found = [
            await ui.act("ui.activate", role="button", name=name) for name in ("Garden", "Sea", "Refused")
        ]
    assert [one.error is None for one in found] == [True, True, False]


ENDING_PAGE = """<!doctype html><title>Contacts</title><style>li { transition: opacity .3s }</style>
<ul><li>Ada <button>Delete</button></ul><script>
document.querySelector('button').onclick = ({target}) => {
  const li = target.closest('li');
  li.style.opacity = 0;
  li.addEventListener('transitionend', () => { li.remove(); document.title = 'Gone' });
}
</script>"""


@pytest.mark.browser
async def test_an_effect_ends_with_the_transition_whose_end_the_page_awaits() -> None:
    async with uiap.open(f"data:text/html,{quote(ENDING_PAGE)}") as ui:
        done = await ui.act("ui.activate", role="button", name="Delete")
        assert done.error is None, done
        assert await ui.evaluate("document.title") == "Gone"
