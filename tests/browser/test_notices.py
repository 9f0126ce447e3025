"""Dialogs that open as the only answer to a press: a refusal fails it with the words of the page."""

from __future__ import annotations

from urllib.parse import quote

import pytest

import uiap

PAGE = """<!doctype html><title>Hotel</title>
<style>
.back { position: fixed; inset: 0; background: #0008 }
.box { position: fixed; top: 40px; background: #fff; padding: 1em }
.box { opacity: 0; transition: opacity .2s } .box.show { opacity: 1 }
</style>
<button onclick="show('Sorry', 'All suites are taken on this day', ['Dismiss'])">Book room</button>
<button onclick="show('Delete room?', 'It cannot be found any more.', ['Cancel', 'Delete'])">Delete room</button>
<button onclick="show('Error log', 'Error: the disk is full', ['Close'])">Error log</button>
<script>
function show(title, text, buttons) {
  const back = Object.assign(document.createElement('div'), { className: 'back', onclick: () => undefined });
  document.body.append(back);
  setTimeout(() => {
    const box = Object.assign(document.createElement('div'), { className: 'box' });
    box.setAttribute('role', 'dialog');
    box.innerHTML = `<h2>${title}</h2><p>${text}</p>${buttons.map((name) => `<button>${name}</button>`).join('')}`;
    box.onclick = () => { box.remove(); back.remove() };
    document.body.append(box);
    box.getBoundingClientRect();
    box.classList.add('show');
  }, 100);
}
</script>"""


@pytest.mark.browser
@pytest.mark.requirement("ACT-12.1")
async def test_a_dialog_that_fades_in_is_read_before_the_press_is_judged() -> None:
    async with uiap.open(f"data:text/html,{quote(PAGE)}") as ui:
        booked = await ui.act("ui.activate", role="button", name="Book room")
        assert booked.error is not None and "All suites are taken on this day" in booked.error.message
        (await ui.act("ui.activate", role="button", name="Dismiss")).check()
        (await ui.act("ui.activate", role="button", name="Delete room")).check()
        (await ui.act("ui.activate", role="button", name="Cancel")).check()
        (await ui.act("ui.activate", role="button", name="Error log")).check()
