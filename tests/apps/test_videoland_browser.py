"""Videoland in a real Chromium: the user interface, checked against the truth of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from apps.videoland import Server, Settings, serving
from apps.videoland.canaries import BILLING_CANARY, SHADOW_CANARY
from apps.videoland.routes.pages import PAGES
from apps.videoland.routes.studio import BUTTONS, CANVAS
from tests.apps.videoland_browser import CHROMIUM, Page, browsing
from tests.apps.videoland_people import effects, truth, visitor, writes

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine"),
]

CONTROLS = {
    "button", "link", "textbox", "searchbox", "combobox", "listbox", "checkbox", "radio", "switch", "slider",
    "spinbutton", "tab", "menuitem", "Date", "InputTime", "Iframe", "dialog", "alertdialog", "table", "form",
}  # fmt: skip
CREATED = r"/^\/videos\/\d+$/.test(location.pathname) && document.querySelector('.toast')"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving(Settings(rows=6000, truth=True, auto_login=True)) as running:
        yield running


@pytest.fixture(scope="module")
def chromium() -> Iterator[Page]:
    with browsing() as page:
        yield page


@pytest.fixture
def truth_client(server: Server) -> Iterator[httpx.Client]:
    """Return a plain client that reads the truth."""
    with visitor(server) as client:
        client.post("/__reset")
        yield client


@pytest.fixture
def page(chromium: Page, truth_client: httpx.Client) -> Iterator[Page]:
    chromium.events.clear()
    chromium.send("Network.clearBrowserCookies")
    yield chromium
    assert chromium.problems() == []


def own_processes(page: Page) -> list[str]:
    targets = page.browser("Target.getTargets", filter=[{"type": "iframe"}])["targetInfos"]
    return [one["url"] for one in targets]


def shared_processes(page: Page) -> list[str]:
    children = page.send("Page.getFrameTree")["frameTree"].get("childFrames", [])
    return [one["frame"]["securityOrigin"] for one in children]


def nameless(page: Page) -> list[str]:
    """Return the controls without a name in Chromium's accessibility tree."""
    nodes = page.send("Accessibility.getFullAXTree")["nodes"]
    return [
        json.dumps(node)[:300]
        for node in nodes
        if not node["ignored"] and node["role"]["value"] in CONTROLS and not node.get("name", {}).get("value")
    ]


def enter(page: Page, server: Server, path: str, role: str = "admin", lang: str = "de") -> None:
    page.open(f"{server.url}{path}{'&' if '?' in path else '?'}as={role}&lang={lang}")


@pytest.mark.parametrize("lang", ["de", "en"])
def test_every_route_renders_with_its_route_id(page: Page, server: Server, lang: str) -> None:
    enter(page, server, "/", lang=lang)
    for route, path in PAGES.items():
        if route == "login":
            continue
        page.open(server.url + path.replace(":id", "3"))
        assert page.evaluate("document.body.dataset.uiapRoute") == route
        assert page.evaluate("document.documentElement.lang") == lang
        assert page.evaluate("document.querySelectorAll('h1').length") == 1
        assert page.evaluate("document.title") != "Videoland"
        assert nameless(page) == []
        for attribute in ("data-uiap-id", "data-uiap-scope", "id"):
            values = page.evaluate(
                f"[...document.querySelectorAll('[{attribute}]')].map((e) => e.getAttribute('{attribute}'))"
            )
            assert len(values) == len(set(values)), f"`{attribute}` repeats on {path}"


def test_signing_in_leads_back_to_the_requested_page(page: Page, server: Server) -> None:
    page.open(f"{server.url}/videos/3?lang=en")
    assert page.evaluate("location.pathname") == "/login"
    page.fill("#email", "viewer@videoland.example")
    page.fill("#password", "wrong")
    page.click('[data-uiap-id="login.submit"]')
    page.until("document.querySelector('.login [role=alert]').innerText !== ''")
    assert page.text(".login [role=alert]") == "Email or password is wrong."
    page.events.clear()  # the 401 of the wrong password
    page.evaluate("document.querySelector('#password').select()")
    page.send("Input.insertText", text="videoland")
    page.key("Enter")
    page.until("document.body.dataset.uiapRoute === 'videos.detail'")
    assert page.evaluate("location.pathname") == "/videos/3"
    assert page.text(".account-name") == "Vito Keller"


def test_menus_tabs_and_accordions_work_with_the_keyboard(page: Page, server: Server) -> None:
    enter(page, server, "/settings", lang="en")
    page.evaluate("document.querySelector('#tab-profile').focus()")
    page.key("ArrowLeft")
    assert page.evaluate("document.activeElement.id") == "tab-help"
    assert page.evaluate("document.querySelector('#panel-help').hidden") is False
    page.evaluate("document.querySelector('#ask-roles').focus()")
    page.key("Enter")
    assert page.evaluate("document.querySelector('#ask-roles').getAttribute('aria-expanded')") == "true"
    page.evaluate("document.querySelector('.menu-button').focus()")
    page.key("ArrowDown")
    page.key("ArrowDown")
    assert page.evaluate("document.activeElement.innerText") == "My team"
    page.key("Escape")
    assert page.evaluate("document.querySelector('[role=menu]').hidden") is True
    page.evaluate("document.querySelector('.hover-menu button').focus()")
    assert page.evaluate("getComputedStyle(document.querySelector('.hover-list')).visibility") == "visible"


def test_submitting_the_example_form_creates_one_video_and_shows_it(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/videos/new")
    assert page.evaluate("document.title") == "Neues Video"
    page.fill('[data-uiap-id="video.title"]', "Mein erstes Video")
    submit = '[data-uiap-scope="video.create.form"] button[data-uiap-id="video.submit"]'
    assert page.text(submit) == "Video erstellen"
    page.click(submit)
    page.until(CREATED)
    assert "erstellt" in page.text(".toasts")
    made = truth(truth_client)["lastCreated"]
    assert made["title"] == page.text("h1") == "Mein erstes Video"
    assert page.evaluate("location.pathname") == f"/videos/{made['id']}"
    assert effects(truth_client) == ["video.created"]


def test_an_empty_form_is_explained_and_sends_nothing(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/videos/new", lang="en")
    page.click('[data-uiap-id="video.submit"]')
    page.until("!document.querySelector('.summary').hidden")
    assert "Title: Please fill in this field." in page.text("[role=alert]")
    field = "document.querySelector('#video-title')"
    assert page.evaluate(f"{field}.getAttribute('aria-invalid')") == "true"
    described = page.evaluate(f"{field}.getAttribute('aria-describedby')").split()
    assert page.text(f"#{described[-1]}") == "Please fill in this field."
    assert effects(truth_client) == []


def test_values_of_dialog_widgets_are_stored(page: Page, server: Server, truth_client: httpx.Client) -> None:
    enter(page, server, "/videos")
    page.click('[data-uiap-id="video.quick"]')
    page.until("document.querySelector('dialog[open] #video-title')")
    page.fill("#video-title", "Aus dem Dialog")
    page.click("#video-use_case")
    page.click("#video-use_case-marketing")
    page.click("#video-visibility-public")
    page.click("#video-subtitles")
    page.click("#video-notify")
    page.evaluate("document.querySelector('#video-volume').focus()")
    for key in ("End", "ArrowLeft"):
        page.key(key)
    page.evaluate("document.querySelector('#video-quality').focus()")
    page.key("ArrowRight")
    page.click('dialog [data-uiap-id="video.submit"]')
    page.until(CREATED)
    expected = {
        "title": "Aus dem Dialog", "use_case": "marketing", "visibility": "public", "subtitles": 1, "notify": 1,
        "volume": 99, "quality": 75,
    }  # fmt: skip
    made = truth(truth_client)["lastCreated"]
    assert {name: made[name] for name in expected} == expected
    page.until("!document.querySelector('dialog')")  # its close event is sent in a later task


def test_a_file_chosen_through_its_label_is_uploaded(
    page: Page, server: Server, truth_client: httpx.Client, tmp_path: Path
) -> None:
    clip = tmp_path / "clip.mp4"
    clip.write_bytes(b"12345678")
    enter(page, server, "/videos/new")
    page.fill("#video-title", "Mit Datei")
    found = page.send("Runtime.evaluate", expression="document.querySelector('#video-file')")["result"]
    page.send("DOM.setFileInputFiles", files=[str(clip)], objectId=found["objectId"])
    page.until("document.querySelector('.file-name').innerText === 'clip.mp4'")
    page.click('[data-uiap-id="video.submit"]')
    page.until(CREATED)
    made = truth(truth_client)["lastCreated"]
    assert (made["file_name"], made["file_size"]) == ("clip.mp4", 8)


def test_the_aria_slider_follows_the_pointer(page: Page, server: Server) -> None:
    enter(page, server, "/videos/new")
    page.click(".slider", x=0.25)
    assert page.evaluate("document.querySelector('#video-volume').getAttribute('aria-valuenow')") == "25"
    assert page.evaluate("document.activeElement.id") == "video-volume"


def test_deleting_a_row_asks_first_and_deletes_that_row(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/videos")
    page.click('tr[data-id="4"] [data-uiap-meaning="video.delete"]')
    page.until("document.querySelector('dialog[open]')")
    page.key("Escape")
    page.until("!document.querySelector('dialog')")
    assert effects(truth_client) == []
    page.click('tr[data-id="4"] [data-uiap-meaning="video.delete"]')
    page.click('[data-uiap-id="video.delete.confirm"]')
    page.until("!document.querySelector('tr[data-id=\"4\"]') && document.querySelector('.toast')")
    assert truth(truth_client)["deleted"] == ["video:4"]


def test_a_failed_optimistic_delete_is_rolled_back(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/videos?knob=optimistic,fail_next:1,save_delay_ms:300")
    page.click('tr[data-id="4"] [data-uiap-meaning="video.delete"]')
    page.click('[data-uiap-id="video.delete.confirm"]')
    page.until("!document.querySelector('tr[data-id=\"4\"]')")
    assert "gelöscht" in page.text(".toasts")
    page.until("document.querySelector('tr[data-id=\"4\"]') && document.querySelector('.toast.failed')")
    assert effects(truth_client) == []
    page.events = [
        one for one in page.events if one["method"] != "Log.entryAdded"
    ]  # the 500 of the failed delete


def test_the_virtual_list_recycles_its_nodes(page: Page, server: Server) -> None:
    enter(page, server, "/videos/virtual")
    page.evaluate("window.first = [...document.querySelectorAll('.virtual-row')]")
    page.evaluate("document.querySelector('.virtual').scrollTop = 48 * 5000")
    page.until("[...document.querySelectorAll('.virtual-row')].every((row) => row.dataset.id > 5000)")
    rows = page.evaluate(
        "[...document.querySelectorAll('.virtual-row')].map((row) => Number(row.dataset.id))"
    )
    assert sorted(rows) == list(range(5001, 5015))
    assert page.evaluate("first.every((row) => row.isConnected)")
    assert page.evaluate("document.querySelector('.virtual').getAttribute('aria-rowcount')") == "6000"


def test_the_storm_rebuilds_the_same_rows_in_other_orders(page: Page, server: Server) -> None:
    enter(page, server, "/videos?knob=storm")
    ids = "[...document.querySelectorAll('tbody tr')].map((row) => row.dataset.id)"
    page.evaluate(f"window.order = {ids}.join(); window.node = document.querySelector('tbody tr')")
    page.until(f"{ids}.join() !== order && !node.isConnected")
    assert page.evaluate(f"new Set({ids}).size") == 25


def test_noise_changes_the_page_without_writes(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/?knob=noise,noise_ms:20")
    page.evaluate("window.noise = document.querySelector('.top-noise').innerText")
    page.until("document.querySelector('.top-noise').innerText !== noise")
    page.until("performance.getEntriesByName(`${location.origin}/api/pulse`).length > 1")
    assert writes(truth_client) == []


def test_a_toast_disappears_after_its_time(page: Page, server: Server) -> None:
    enter(page, server, "/settings?knob=toast_ms:100")
    page.click('[data-uiap-id="profile.save"]')
    page.until("document.querySelector('.toast')")
    page.until("!document.querySelector('.toast')")


@pytest.mark.parametrize("name", BUTTONS)
def test_a_painted_button_performs_its_action(
    page: Page, server: Server, truth_client: httpx.Client, name: str
) -> None:
    enter(page, server, "/studio")
    page.click("canvas", x=0.5, y=0.3)
    box = BUTTONS[name]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.click("canvas", x=x / CANVAS["width"], y=y / CANVAS["height"])
    page.until(f"document.querySelector('output').dataset.studioLast === '{name}'")
    assert truth(truth_client)["studio"]["commands"] == [name], "a click on the picture does nothing"


def test_one_billing_frame_shares_the_process_and_one_does_not(page: Page, server: Server) -> None:
    enter(page, server, "/billing")
    page.until("document.querySelectorAll('iframe').length === 2")
    sources = page.evaluate(
        "[...document.querySelectorAll('iframe')].map((frame) => new URL(frame.src).origin)"
    )
    assert sources == [server.billing_url, server.billing_foreign_url]
    page.eventually(lambda: own_processes(page) == [f"{server.billing_foreign_url}/?lang=de"])
    page.eventually(lambda: shared_processes(page) == [server.billing_url])
    reach = "[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)"
    assert page.evaluate(reach) == [None, None]


def test_nothing_behind_a_boundary_shows_in_the_page(page: Page, server: Server) -> None:
    enter(page, server, "/billing")
    assert page.evaluate("document.querySelector('vl-support-chat').shadowRoot") is None
    everything = page.evaluate("document.documentElement.outerHTML + document.body.innerText")
    assert SHADOW_CANARY not in everything
    assert BILLING_CANARY not in everything


def test_a_viewer_sees_no_control_that_changes_shared_data(page: Page, server: Server) -> None:
    enter(page, server, "/videos", role="viewer", lang="en")
    assert page.evaluate("document.querySelectorAll('tbody tr').length") == 25
    for path in ("/videos", "/videos/1", "/team", "/videos/virtual"):
        page.open(server.url + path)
        names = page.evaluate("[...document.querySelectorAll('main button')].map((one) => one.innerText)")
        assert not {"Edit", "Delete", "Publish", "Quick create", "Send invitation"} & set(names)
    page.open(f"{server.url}/settings")
    assert "Danger zone" not in page.evaluate("document.body.textContent")


def test_links_and_history_stay_in_one_document(page: Page, server: Server) -> None:
    enter(page, server, "/")
    page.evaluate("window.same = true")
    page.click('[data-uiap-id="nav.videos"]')
    page.until("document.body.dataset.uiapRoute === 'videos'")
    page.click('[data-uiap-id="videos.pages.next"]')
    page.until("location.search === '?page=2' && document.querySelector('[aria-current=page]')")
    page.evaluate("history.back()")
    page.until("location.search === '' && document.body.dataset.uiapRoute === 'videos'")
    page.evaluate("history.back()")
    page.until("document.body.dataset.uiapRoute === 'dashboard'")
    assert page.evaluate("window.same") is True


def test_the_account_is_deleted_only_after_the_confirmation_word(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/settings", lang="en")
    page.click("#tab-security")
    page.click('[data-uiap-id="account.delete"]')
    page.until("document.querySelector('dialog[open]')")
    confirm = '[data-uiap-id="account.delete.confirm"]'
    page.click(confirm)
    assert page.evaluate(f"document.querySelector('{confirm}').disabled") is True
    assert effects(truth_client) == []
    page.fill('[data-uiap-id="confirm.word"]', "DELETE")
    page.click(confirm)
    page.until("location.pathname === '/login' && document.querySelector('h1')")
    assert "Your account has been deleted." in page.text("main")
    assert effects(truth_client) == ["account.deleted"]


def test_an_invitation_is_sent_from_the_plain_team_page(
    page: Page, server: Server, truth_client: httpx.Client
) -> None:
    enter(page, server, "/team", lang="en")
    page.fill("#invite-email", "kim@team.example")
    page.click("form button[type=submit]")
    page.until("document.querySelector('.toast')")
    page.until("document.body.innerText.includes('Open invitations (3)')")
    assert truth(truth_client)["invitationsSent"] == 1
