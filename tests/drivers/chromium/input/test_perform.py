"""Gestures on real pages, and when they are dispatched, refused or unknown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.drivers.chromium.site import Site
from tests.drivers.recorder import Recorder
from uiap.actions.ops import (
    Check,
    Click,
    Focus,
    Guard,
    Hover,
    Press,
    Scroll,
    ScrollIntoView,
    Secret,
    Select,
    SetFiles,
    SetText,
    TypeText,
)
from uiap.drivers.chromium import ChromiumBrowser, ChromiumDriver
from uiap.drivers.driver import PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.events import FileChooserOpened, GuardTripped, Navigated
from uiap.spec.capability import ExecutionMode

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="module")]


async def ref(driver: ChromiumDriver, name: str) -> str:
    graph = await driver.observe()
    (found,) = [element.instance_id for element in graph.elements if element.name == name]
    return found


async def guard(driver: ChromiumDriver, name: str) -> Guard:
    return Guard(node=await ref(driver, name), name=name)


@pytest.mark.requirement("ACT-3.5", "ACT-10.3")
async def test_click_is_trusted_and_complete(driver: ChromiumDriver, site: Site) -> None:
    script = """for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
      b.addEventListener(type, event => seen.push([type, event.isTrusted]))"""
    await driver.navigate(
        site.page("/click", f"<button id=b>Go</button><script>seen = []; {script}</script>")
    )
    outcome = await driver.perform(Click(guard=await guard(driver, "Go")))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by is None
    assert await driver.evaluate("seen") == [
        ["pointerdown", True],
        ["mousedown", True],
        ["pointerup", True],
        ["mouseup", True],
        ["click", True],
    ]


@pytest.mark.parametrize(
    ("terms", "reason"),
    [
        ({"name": "Something else"}, "changed"),
        ({"role": "link"}, "changed"),
        ({"record": "user-50"}, "changed"),
    ],
)
async def test_click_on_a_target_that_does_not_match_the_guard_never_reaches_the_page(
    driver: ChromiumDriver, site: Site, terms: dict[str, Any], reason: str
) -> None:
    page = "<button onclick='clicked = true'>Delete</button><script>clicked = false</script>"
    await driver.navigate(site.page("/mismatch", page))
    outcome = await driver.perform(Click(guard=Guard(node=await ref(driver, "Delete"), **terms)))
    assert isinstance(outcome, PerformRefused) and outcome.reason == reason
    assert await driver.evaluate("clicked") is False


async def test_target_that_changes_after_the_check_is_stopped_by_the_guard_at_the_event(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    # The mouse move changes the button after every check and before the press.
    page = """<button id=b onclick='clicked = true'>Delete user-0</button><script>clicked = false;
      b.addEventListener('mousemove', () => { b.textContent = 'Delete user-50' })</script>"""
    await driver.navigate(site.page("/recycled", page))
    outcome = await driver.perform(Click(guard=await guard(driver, "Delete user-0")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "changed"
    assert await driver.evaluate("[clicked, b.textContent]") == [False, "Delete user-50"]
    assert recorder.of(GuardTripped)[-1].reason == "name_changed"


async def test_overlay_that_appears_under_the_pointer_receives_no_click(
    driver: ChromiumDriver, site: Site
) -> None:
    page = """<button id=b>Pay</button><div id=o onclick='taken = true' style='display:none;position:fixed;inset:0'>
      </div><script>taken = false; b.addEventListener('mousemove', () => { o.style.display = 'block' })</script>"""
    await driver.navigate(site.page("/overlay", page))
    outcome = await driver.perform(Click(guard=await guard(driver, "Pay")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "obscured"
    assert await driver.evaluate("taken") is False


async def test_covered_target_is_refused_before_any_input(driver: ChromiumDriver, site: Site) -> None:
    cover = "<div style='position:fixed;inset:0'></div>"
    await driver.navigate(site.page("/covered", f"<button>Pay</button>{cover}"))
    outcome = await driver.perform(Click(guard=await guard(driver, "Pay")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "obscured"


async def test_disabled_target_is_refused(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/disabled", "<button disabled>Pay</button>"))
    outcome = await driver.perform(Click(guard=await guard(driver, "Pay")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "disabled"


async def test_target_of_a_document_that_was_left_is_gone(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/left", "<button>Old</button>"))
    old = await guard(driver, "Old")
    await driver.navigate(site.page("/new", "<button>New</button>"))
    outcome = await driver.perform(Click(guard=old))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "gone"


async def test_removed_target_is_gone(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/removed", "<button>Old</button>"))
    old = await guard(driver, "Old")
    await driver.evaluate("document.querySelector('button').remove()")
    outcome = await driver.perform(Click(guard=old))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "gone"


async def test_click_that_opens_an_alert_does_not_hang(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/asks", "<button onclick='alert(1)'>Ask</button>"))
    outcome = await driver.perform(Click(guard=await guard(driver, "Ask")))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "dialog"
    assert driver.dialog.current() is not None
    await driver.dialog.answer(True)
    assert await driver.evaluate("1") == 1


async def test_click_that_navigates_is_dispatched(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    """All events were sent before the server answered, so nothing interrupted the gesture."""
    arrive = site.gate("/target")
    site.page("/target", "<p>there")
    await driver.navigate(site.page("/leaves", "<a href='/target'>Leave</a>"))
    outcome = await driver.perform(Click(guard=await guard(driver, "Leave")))
    arrive()
    assert isinstance(outcome, PerformDispatched)
    assert outcome.interrupted_by is None
    await recorder.first(Navigated, lambda event: event.url.endswith("/target"))


async def test_click_on_a_page_that_hangs_is_unknown_within_the_timeout(
    driver: ChromiumDriver, site: Site
) -> None:
    hang = "const end = Date.now() + 3000; while (Date.now() < end);"
    await driver.navigate(site.page("/hangs", f"<button onclick='{hang}'>Hang</button>"))
    begun = asyncio.get_running_loop().time()
    outcome = await driver.perform(Click(guard=await guard(driver, "Hang")), timeout=1.0)
    assert isinstance(outcome, PerformUnknown) and outcome.cause == "timeout"
    assert asyncio.get_running_loop().time() - begun < 2.8


async def test_click_inside_nested_frames_hits_the_target(
    driver: ChromiumDriver, recorder: Recorder, site: Site
) -> None:
    site.page("/deep", "<p style='height:40px'></p><button onclick=\"top.hit = 'deep'\">Deep</button>")
    site.page("/mid", "<p style='height:30px'></p><iframe src='/deep' style='border:7px solid'></iframe>")
    page = "<p style='height:900px'></p><iframe src='/mid' width=400 height=300 style='margin:20px'></iframe>"
    await driver.navigate(site.page("/nested", page))
    async with asyncio.timeout(15):
        while "Deep" not in {element.name for element in (await driver.observe()).elements}:
            await recorder.more()
    outcome = await driver.perform(Click(guard=await guard(driver, "Deep")))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("hit") == "deep"


async def test_text_is_typed_key_by_key(driver: ChromiumDriver, site: Site) -> None:
    page = "<input aria-label=Name><script>keys = []; addEventListener('keydown', e => keys.push(e.key))</script>"
    await driver.navigate(site.page("/type", page))
    outcome = await driver.perform(TypeText(guard=await guard(driver, "Name"), text="Aß 1!"))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("[document.querySelector('input').value, keys]") == [
        "Aß 1!",
        ["A", "ß", " ", "1", "!"],
    ]


async def test_a_typed_line_break_is_text_and_never_the_key_enter(driver: ChromiumDriver) -> None:
    sends = "if (event.key === 'Enter') this.title = 'sent'"
    await driver.navigate(f'data:text/html,<textarea aria-label=Chat onkeydown="{sends}"></textarea>')
    outcome = await driver.perform(TypeText(guard=await guard(driver, "Chat"), text="a\nb"))
    assert isinstance(outcome, PerformDispatched)
    read = "[document.querySelector('textarea').value, document.querySelector('textarea').title]"
    assert await driver.evaluate(read) == ["a\nb", ""]


@pytest.mark.requirement("ACT-10.3")
@pytest.mark.parametrize(
    ("before", "after", "pressed"),
    [
        ("Save (3)", "Save (4)", True),
        ("Inbox 9", "Inbox 10", True),
        ("Save", "Delete", False),
        ("Delete user-0", "Delete user-50", False),
    ],
)
async def test_a_counter_in_the_name_may_change_before_the_press(
    driver: ChromiumDriver, site: Site, before: str, after: str, pressed: bool
) -> None:
    page = f"""<button id=b onclick='clicked = true'>{before}</button><script>clicked = false;
      b.addEventListener('mousemove', () => {{ b.textContent = '{after}' }})</script>"""
    await driver.navigate(site.page("/counter", page))
    await driver.perform(Click(guard=await guard(driver, before)))
    assert await driver.evaluate("clicked") is pressed


@pytest.mark.parametrize("mode", ["externalDriver", "semanticUi"])
@pytest.mark.parametrize("text", ["second", ""])
async def test_text_is_replaced_as_a_whole(
    driver: ChromiumDriver, site: Site, mode: ExecutionMode, text: str
) -> None:
    await driver.navigate(site.page("/replace", "<textarea aria-label=Note>first</textarea>"))
    outcome = await driver.perform(SetText(guard=await guard(driver, "Note"), text=text, mode=mode))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("document.querySelector('textarea').value") == text


async def test_secret_is_looked_up_by_name_at_the_last_moment(
    chromium: ChromiumBrowser, recorder: Recorder, site: Site
) -> None:
    driver = ChromiumDriver(chromium, secrets={"pin": "4711"}.__getitem__)
    await driver.start(recorder)
    await driver.navigate(site.page("/secret", "<input aria-label=Pin>"))
    await driver.perform(TypeText(guard=await guard(driver, "Pin"), text=Secret(name="pin")))
    assert await driver.evaluate("document.querySelector('input').value") == "4711"
    await driver.close()


async def test_unknown_secret_refuses_the_op(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/nosecret", "<input aria-label=Pin>"))
    outcome = await driver.perform(TypeText(guard=await guard(driver, "Pin"), text=Secret(name="pin")))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"


async def test_option_is_selected_by_label_and_a_missing_one_is_refused(
    driver: ChromiumDriver, site: Site
) -> None:
    page = "<select aria-label=Colour><option value=r>Red<option value=b>Blue</select>"
    await driver.navigate(site.page("/select", page))
    colour = await guard(driver, "Colour")
    assert isinstance(await driver.perform(Select(guard=colour, values=("Blue",))), PerformDispatched)
    assert await driver.evaluate("document.querySelector('select').value") == "b"
    refused = await driver.perform(Select(guard=colour, values=("Green",)))
    assert isinstance(refused, PerformRefused) and refused.reason == "invalid"


@pytest.mark.parametrize("mode", ["semanticUi", "externalDriver"])
async def test_box_is_checked_once_and_stays_checked(
    driver: ChromiumDriver, site: Site, mode: ExecutionMode
) -> None:
    await driver.navigate(site.page("/check", "<label><input type=checkbox>Agree</label>"))
    agree = await guard(driver, "Agree")
    for _ in range(2):
        assert isinstance(
            await driver.perform(Check(guard=agree, checked=True, mode=mode)), PerformDispatched
        )
        assert await driver.evaluate("document.querySelector('input').checked") is True


async def test_focus_and_key_go_to_the_target(driver: ChromiumDriver, site: Site) -> None:
    page = (
        "<form onsubmit='sent = q.value; return false'><input name=q id=q aria-label=Query value=cats></form>"
    )
    await driver.navigate(site.page("/press", page))
    query = await guard(driver, "Query")
    assert isinstance(await driver.perform(Focus(guard=query)), PerformDispatched)
    assert await driver.evaluate("document.activeElement.id") == "q"
    assert isinstance(await driver.perform(Press(guard=query, key="Enter")), PerformDispatched)
    assert await driver.evaluate("sent") == "cats"


async def test_unknown_key_is_refused_with_a_hint(driver: ChromiumDriver) -> None:
    outcome = await driver.perform(Press(key="Entre"))
    assert outcome == PerformRefused(
        "invalid", "there is no key `Entre`; use a UI Events key name such as `Enter`"
    )


async def wait_until_scrolled(driver: ChromiumDriver) -> bool:
    async with asyncio.timeout(10):
        while not await driver.evaluate("scrollY > 0"):
            await driver.evaluate("new Promise(requestAnimationFrame)")
    return True


async def test_wheel_scrolls_the_page(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/wheel", "<div style='height:5000px'>tall</div>"))
    assert isinstance(await driver.perform(Scroll(dy=400)), PerformDispatched)
    assert await wait_until_scrolled(driver)


async def test_target_below_the_fold_is_scrolled_into_view(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/fold", "<div style='height:5000px'></div><button>Low</button>"))
    assert isinstance(
        await driver.perform(ScrollIntoView(guard=await guard(driver, "Low"))), PerformDispatched
    )
    facts = await driver.probe([await ref(driver, "Low")])
    assert [found.in_viewport for found in facts.values()] == [True]


async def test_hover_moves_the_pointer_onto_the_target(driver: ChromiumDriver, site: Site) -> None:
    page = "<button onmouseenter='entered = true'>Menu</button><script>entered = false</script>"
    await driver.navigate(site.page("/hover", page))
    assert isinstance(await driver.perform(Hover(guard=await guard(driver, "Menu"))), PerformDispatched)
    assert await driver.evaluate("entered") is True


async def test_file_is_set_on_its_input(driver: ChromiumDriver, site: Site, tmp_path: Path) -> None:
    file = upload_folder(tmp_path) / "report.txt"
    file.write_text("hello")
    await driver.navigate(site.page("/upload", "<input type=file aria-label=Report>"))
    outcome = await driver.perform(SetFiles(guard=await guard(driver, "Report"), paths=(str(file),)))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("document.querySelector('input').files[0].text()") == "hello"


def upload_folder(folder: Path) -> Path:
    """Return the folder that is declared for uploads."""
    (folder / "mine").mkdir(exist_ok=True)
    return folder / "mine"


HOSTILE: dict[str, Callable[[Path], str]] = {
    "missing": lambda folder: str(folder / "mine" / "missing.txt"),
    "folder": lambda folder: str(folder / "mine"),
    "link": lambda folder: "link.txt",
    "link to elsewhere": lambda folder: "away/secret.txt",
    "hard link": lambda folder: "hard.txt",
    "dots": lambda folder: "../secret.txt",
    "dots in full": lambda folder: str(folder / "mine" / ".." / "secret.txt"),
    "elsewhere": lambda folder: str(folder / "secret.txt"),
    "escaped dots": lambda folder: "%2e%2e/secret.txt",
    "backslashes": lambda folder: "..\\secret.txt",
    "drive": lambda folder: "C:\\secret.txt",
    "long": lambda folder: "n" * 255,
    "too long": lambda folder: "n" * 5000,
    "device": lambda folder: "/dev/zero",
    "nul": lambda folder: "real.txt\0.txt",
    "nothing": lambda folder: "",
}


@pytest.mark.parametrize("name", HOSTILE)
async def test_path_that_is_not_a_plain_file_in_the_upload_folder_is_refused(
    driver: ChromiumDriver, site: Site, tmp_path: Path, name: str
) -> None:
    root = upload_folder(tmp_path)
    (tmp_path / "secret.txt").write_text("secret")
    (root / "real.txt").write_text("x")
    (root / "link.txt").symlink_to(root / "real.txt")
    (root / "away").symlink_to(tmp_path)
    (root / "hard.txt").hardlink_to(tmp_path / "secret.txt")
    await driver.navigate(site.page("/upload", "<input type=file aria-label=Report>"))
    path = HOSTILE[name](tmp_path)
    outcome = await driver.perform(SetFiles(guard=await guard(driver, "Report"), paths=(path,)))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "invalid"
    assert await driver.evaluate("document.querySelector('input').files.length") == 0


async def test_relative_path_is_resolved_in_the_upload_folder(
    driver: ChromiumDriver, site: Site, tmp_path: Path
) -> None:
    (upload_folder(tmp_path) / "report.txt").write_text("hello")
    await driver.navigate(site.page("/upload", "<input type=file aria-label=Report>"))
    outcome = await driver.perform(SetFiles(guard=await guard(driver, "Report"), paths=("report.txt",)))
    assert isinstance(outcome, PerformDispatched)
    assert await driver.evaluate("document.querySelector('input').files[0].text()") == "hello"


async def test_file_chooser_is_reported_and_answered(
    driver: ChromiumDriver, recorder: Recorder, site: Site, tmp_path: Path
) -> None:
    file = upload_folder(tmp_path) / "a.txt"
    file.write_text("chosen")
    page = "<input type=file id=f hidden><button onclick='f.click()'>Upload</button>"
    await driver.navigate(site.page("/chooser", page))
    await driver.perform(Click(guard=await guard(driver, "Upload")))
    assert (await recorder.first(FileChooserOpened)).multiple is False
    await driver.files.choose([file])
    assert await driver.evaluate("f.files[0].text()") == "chosen"


async def test_unsupported_mode_is_refused(driver: ChromiumDriver, site: Site) -> None:
    await driver.navigate(site.page("/mode", "<button>Go</button>"))
    outcome = await driver.perform(Click(guard=await guard(driver, "Go"), mode="appAction"))
    assert isinstance(outcome, PerformRefused) and outcome.reason == "unsupported"
