"""Signals: sent when they happen, sent once, and never for existing content."""

# ruff: noqa: E501 (a page reads best on one line)
from __future__ import annotations

import pytest

from tests.web.cdp import Browser
from tests.web.site import Site
from tests.web.tab import Tab

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def act(tab: Tab, script: str) -> None:
    tab.messages.clear()
    await tab.evaluate(script)
    await tab.settle()


async def test_a_toast_removed_at_once_is_still_reported(tab: Tab) -> None:
    await tab.load("<div id=live role=status></div>")
    await act(
        tab,
        "live.innerHTML = '<p>Saved!</p>'; Promise.resolve().then(() => Promise.resolve()).then(() => live.innerHTML = '')",
    )
    assert [signal["text"] for signal in tab.signals("toast.shown")] == ["Saved!"]


async def test_a_toast_added_and_removed_in_one_task_is_still_reported(tab: Tab) -> None:
    await tab.load("<div id=live aria-live=polite></div>")
    await act(
        tab,
        "const p = document.createElement('p'); p.textContent = 'Gone already'; live.append(p); p.remove()",
    )
    assert [signal["text"] for signal in tab.signals("toast.shown")] == ["Gone already"]


async def test_existing_text_is_not_a_toast(tab: Tab) -> None:
    await tab.load("<div id=live role=alert>Video created</div><p id=other>x</p>")
    await act(
        tab, "other.textContent = 'y'; live.setAttribute('class', 'z'); live.innerHTML = live.innerHTML"
    )
    assert tab.signals("toast.shown") == []


async def test_an_inserted_fixed_box_is_a_toast_and_a_fixed_form_is_not(tab: Tab) -> None:
    await tab.load("<main></main>")
    await act(
        tab,
        "document.body.insertAdjacentHTML('beforeend', '<div class=success style=\"position:fixed\">Done <button>Undo</button></div>');"
        "document.body.insertAdjacentHTML('beforeend', '<div style=\"position:fixed\">Ask <input></div>')",
    )
    assert [(s["text"], s["level"]) for s in tab.signals("toast.shown")] == [("Done Undo", "success")]


BOX = "var box = document.createElement('div'); box.style.position = 'fixed'; box.innerHTML = '<b>×</b><p></p>'; document.body.append(box);"


def toasts(tab: Tab) -> list[tuple[str, str | None]]:
    return [(signal["text"], signal.get("level")) for signal in tab.signals("toast.shown")]


async def test_a_box_is_a_toast_when_it_gets_its_words_and_its_level(tab: Tab) -> None:
    await tab.load("<main></main>")
    await act(tab, BOX)
    assert toasts(tab) == []
    await act(tab, "box.querySelector('p').textContent = 'Nothing to cancel'")
    assert toasts(tab) == [("Nothing to cancel", None)]
    await act(tab, "box.className = 'box-error'")
    assert toasts(tab) == [("Nothing to cancel", "error")]


async def test_each_message_of_a_stack_and_new_words_of_a_message_are_toasts(tab: Tab) -> None:
    await tab.load("<div id=stack style='position:fixed;top:0'></div>")
    await act(tab, "stack.innerHTML = '<p class=success>Saved</p>'")
    assert toasts(tab) == [("Saved", "success")]
    await act(tab, "stack.insertAdjacentHTML('beforeend', '<p class=error>Mail was not sent</p>')")
    assert toasts(tab) == [("Mail was not sent", "error")]
    await act(tab, "stack.lastChild.textContent = 'The mail server is gone'")
    assert toasts(tab) == [("The mail server is gone", "error")]


async def test_a_countdown_in_a_message_is_no_new_message(tab: Tab) -> None:
    await tab.load("<main></main>")
    await act(
        tab, BOX.replace("<p></p>", "<p>Saved, closes in <i>5</i> s</p>") + "globalThis.saved = box;"
    )
    await act(tab, "saved.querySelector('i').textContent = '4'")
    assert toasts(tab) == []


async def test_a_list_to_act_on_and_the_backdrop_of_a_dialog_are_no_toasts(tab: Tab) -> None:
    await tab.load("<div id=news popover></div><div id=root></div>")
    links = "<a href=#>Build failed</a><a href=#>Payment declined</a><button>Clear</button>"
    asks = "<div style='position:fixed;inset:0'><div role=dialog>Delete it? It cannot be found then.</div></div>"
    await act(tab, f"news.innerHTML = `{links}`; news.showPopover(); root.innerHTML = `{asks}`")
    assert tab.signals("toast.shown") == []


async def test_a_toast_has_neither_hidden_words_nor_those_of_the_button_that_closes_it(tab: Tab) -> None:
    await tab.load("<div id=root></div>")
    hidden = "<button style='display:none'>No</button>"
    await act(
        tab,
        f"root.innerHTML = `<div style='position:fixed'><p>All seats are gone</p>{hidden}<button>OK</button></div>`",
    )
    assert [signal["text"] for signal in tab.signals("toast.shown")] == ["All seats are gone"]


async def test_the_icon_of_an_opened_dialog_gives_its_level(tab: Tab) -> None:
    await tab.load("<div id=root></div>")
    icon = "<svg class=icon-success></svg>"
    await act(tab, f"root.innerHTML = `<dialog open>{icon}Room 12<button class=btn-danger>Delete</button></dialog>`")
    (level,) = tab.signals("custom")
    (opened,) = tab.signals("dialog.opened")
    assert level["payload"] == {"scopeId": opened["scopeId"], "level": "success"}


async def test_a_toast_in_an_empty_container_or_a_revealed_box_is_reported(tab: Tab) -> None:
    await tab.load(
        "<div id=box style='position:fixed'></div><div id=hid class=toast style='position:fixed' hidden>Copied</div>"
    )
    await act(
        tab,
        "box.innerHTML = '<div><span>Mail sent</span></div>'; hid.hidden = false; hid.setAttribute('data-uiap-id', 'hid')",
    )
    assert sorted(signal["text"] for signal in tab.signals("toast.shown")) == ["Copied", "Mail sent"]


async def test_user_content_is_not_a_toast(tab: Tab) -> None:
    await tab.load(
        "<div data-uiap-user-content><div id=live role=alert></div></div><div contenteditable><p id=note role=status></p></div>"
    )
    await act(tab, "live.textContent = 'Video created'; note.textContent = 'Video created'")
    assert tab.signals("toast.shown") == []


async def test_status_texts_are_reported_with_their_element(tab: Tab) -> None:
    await tab.load("<div id=s role=status>1 result</div>")
    await act(tab, "s.firstChild.data = '2 results'")
    (signal,) = tab.signals("status.updated")
    assert signal["text"] == "2 results"
    assert signal["instanceId"] == tab.found("status")["instanceId"]


async def test_opened_and_closed_dialogs_are_reported(tab: Tab) -> None:
    await tab.load("<dialog id=d aria-label=Sure data-uiap-id=ask>Sure?<button>Yes</button></dialog>")
    await act(tab, "d.showModal()")
    (opened,) = tab.signals("dialog.opened")
    assert opened["stableId"] == "ask"
    await act(tab, "d.close()")
    (closed,) = tab.signals("dialog.closed")
    assert closed["scopeId"] == opened["scopeId"]


async def test_validation_reports_the_field_and_the_message_of_the_page(tab: Tab) -> None:
    await tab.load("<form aria-label=F><input id=i aria-label=Mail aria-describedby=e><p id=e></p></form>")
    await act(tab, "e.textContent = 'Not a mail address'; i.setAttribute('aria-invalid', 'true')")
    (wrong,) = tab.signals("validation.changed")
    assert wrong["errors"] == [
        {"instanceId": tab.found("textbox")["instanceId"], "message": "Not a mail address"}
    ]
    await act(tab, "i.removeAttribute('aria-invalid')")
    (right,) = tab.signals("validation.changed")
    assert right["errors"] == []


async def test_routes_are_observed_without_patching_history(browser: Browser) -> None:
    async with Site({"/videos": "<title>Videos</title><p>x"}) as site:
        tab = Tab(browser)
        await tab.open()
        await tab.visit(site.origin + "/videos")
        await act(tab, "history.pushState({}, '', '/videos/7?tab=a'); document.title = 'Video'")
        (pushed,) = tab.signals("route.changed")
        assert (pushed["from"]["path"], pushed["to"]["path"]) == ("/videos", "/videos/7")
        assert tab.graph["route"]["title"] == "Video"
        await act(tab, "location.hash = '#/deep/9'")
        (hashed,) = tab.signals("route.changed")
        assert hashed["to"]["path"] == "/deep/9"
        assert await tab.evaluate("history.pushState.toString().includes('native code')")
        await tab.close()


async def test_focus_annotated_elements_loading_and_entities_are_reported(tab: Tab) -> None:
    await tab.load("<input id=i aria-label=I><div id=r role=region aria-label=R></div>")
    await act(tab, "i.focus()")
    assert tab.signals("focus.changed")[-1]["focus"]["target"] == tab.found("textbox")["instanceId"]
    await act(tab, "r.innerHTML = '<p data-uiap-id=price>12</p>'; r.setAttribute('aria-busy', 'true')")
    assert [signal["stableId"] for signal in tab.signals("element.appeared")] == ["price"]
    assert tab.signals("custom")[0]["payload"]["loading"] is True
    await act(
        tab,
        "window.dispatchEvent(new CustomEvent('uiap:entity', {detail: {change: 'created', entityType: 'video', id: 7}}))",
    )
    assert tab.signals("entity.created") == [{"kind": "entity.created", "entityType": "video", "id": "7"}]
    await act(
        tab,
        "window.dispatchEvent(new CustomEvent('uiap:entity', {detail: {change: 'exploded', entityType: 'video'}}))",
    )
    assert not [message for message in tab.messages if message["t"] == "signal"]
