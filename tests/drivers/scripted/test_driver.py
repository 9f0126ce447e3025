"""The scripted driver: handlers, injected faults, and the events others build their tests on."""

from __future__ import annotations

import asyncio

import pytest

from tests.drivers.recorder import Recorder
from uiap.actions.ops import Click, Guard, Press, Secret, TypeText
from uiap.drivers.driver import PerformDispatched, PerformRefused, PerformUnknown
from uiap.drivers.errors import TargetGone
from uiap.drivers.events import (
    Crashed,
    GraphChanged,
    RequestEnded,
    RequestSent,
    ResponseReceived,
    SignalObserved,
    TabOpened,
)
from uiap.drivers.scripted import App, ScriptedDriver, ScriptedFault, ScriptedPage, ScriptedScope, Widget
from uiap.graph.store import Applied, GraphStore, NeedsResync
from uiap.spec.web import ToastShownSignal


def pay(app: App) -> None:
    app.request("http://shop.test/pay", method="POST", status=201)
    app.set("pay", enabled=False)
    app.add(Widget("receipt", "label", "Receipt"))
    app.toast("Paid")


SHOP = ScriptedPage(
    "http://shop.test/",
    [
        Widget("pay", "button", "Pay", scope="basket", on={"click": pay}),
        Widget("help", "link", "Help", on={"click": lambda app: app.navigate("http://shop.test/help")}),
        Widget("chat", "button", "Chat", on={"click": lambda app: app.open_popup("http://shop.test/help")}),
        Widget("code", "textbox", "Code"),
        Widget("row", "button", "Delete", record="user-0"),
    ],
    scopes=[ScriptedScope("basket", "form", "Basket")],
)
HELP = ScriptedPage("http://shop.test/help", [Widget("back", "link", "Back")], title="Help")


@pytest.fixture
async def shop() -> tuple[ScriptedDriver, Recorder]:
    driver, recorder = ScriptedDriver(SHOP, HELP, secrets={"pin": "42"}.__getitem__), Recorder()
    await driver.start(recorder)
    return driver, recorder


Shop = tuple[ScriptedDriver, Recorder]


def click(driver: ScriptedDriver, key: str) -> Click:
    return Click(guard=Guard(node=driver.node(key)))


async def test_handler_changes_the_graph_and_its_events_carry_the_token_of_the_op(shop: Shop) -> None:
    driver, recorder = shop
    outcome = await driver.perform(click(driver, "pay"))
    assert isinstance(outcome, PerformDispatched)
    change = recorder.of(GraphChanged)[-1]
    assert change.delta is not None and change.token == outcome.token and change.seq > outcome.seq
    (signal,) = recorder.of(SignalObserved)
    assert signal.signal == ToastShownSignal(text="Paid") and signal.token == outcome.token
    kinds = [
        type(event)
        for event in recorder.events
        if isinstance(event, RequestSent | ResponseReceived | RequestEnded)
    ]
    assert kinds == [RequestSent, ResponseReceived, RequestEnded]
    assert recorder.of(ResponseReceived)[0].status == 201


async def test_store_applies_the_deltas(shop: Shop) -> None:
    driver, recorder = shop
    store = GraphStore(await driver.observe())
    await driver.perform(click(driver, "pay"))
    driver.change(lambda app: app.remove("receipt"))
    for event in recorder.of(GraphChanged):
        if event.delta is not None:
            assert isinstance(store.apply(event.delta), Applied)
    assert store.snapshot().elements == (await driver.observe()).elements


async def test_recreated_widget_is_a_new_node(shop: Shop) -> None:
    driver, _ = shop
    old = driver.node("row")
    driver.change(lambda app: app.remove("row"))
    driver.change(lambda app: app.add(Widget("row", "button", "Delete", record="user-50")))
    assert driver.node("row") != old
    assert isinstance(await driver.perform(Click(guard=Guard(node=old))), PerformRefused)


async def test_change_between_check_and_gesture_is_refused(shop: Shop) -> None:
    driver, _ = shop
    driver.inject(ScriptedFault("click", before=lambda app: app.set("row", name="Delete everything")))
    outcome = await driver.perform(Click(guard=Guard(node=driver.node("row"), name="Delete")))
    assert outcome == PerformRefused("changed", "name_changed")
    assert driver.performed == []


async def test_gesture_without_effect_is_dispatched_and_emits_no_event(shop: Shop) -> None:
    driver, recorder = shop
    driver.inject(ScriptedFault("click", no_effect=True))
    before = len(recorder.events)
    assert isinstance(await driver.perform(click(driver, "pay")), PerformDispatched)
    assert len(recorder.events) == before


@pytest.mark.parametrize(("reaches", "enabled"), [(True, False), (False, True)])
async def test_unknown_outcome_may_or_may_not_have_reached_the_application(
    shop: Shop, reaches: bool, enabled: bool
) -> None:
    driver, _ = shop
    driver.inject(ScriptedFault("click", outcome=PerformUnknown("timeout"), reaches_app=reaches))
    assert await driver.perform(click(driver, "pay")) == PerformUnknown("timeout")
    facts = await driver.probe([driver.node("pay")])
    assert facts[driver.node("pay")].enabled is enabled
    assert len(driver.performed) == reaches


async def test_delayed_op_completes_when_its_event_is_set(shop: Shop) -> None:
    driver, _ = shop
    gate = asyncio.Event()
    driver.inject(ScriptedFault(wait_for=gate))
    running = asyncio.ensure_future(driver.perform(click(driver, "pay")))
    await asyncio.sleep(0)
    assert not running.done()
    gate.set()
    assert isinstance(await running, PerformDispatched)


async def test_fault_applies_to_the_next_op_of_its_kind(shop: Shop) -> None:
    driver, _ = shop
    driver.inject(ScriptedFault("press", outcome=PerformRefused("unavailable")))
    assert isinstance(await driver.perform(click(driver, "pay")), PerformDispatched)
    assert await driver.perform(Press(key="Enter")) == PerformRefused("unavailable")


async def test_lost_delta_makes_the_store_ask_for_a_resync(shop: Shop) -> None:
    driver, recorder = shop
    store = GraphStore(await driver.observe())
    driver.lose_next_delta()
    await driver.perform(click(driver, "pay"))
    last = recorder.of(GraphChanged)[-1].delta
    assert last is not None and isinstance(store.apply(last), NeedsResync)
    assert isinstance(store.load(await driver.observe(), "resync"), Applied)


async def test_crashed_tab_refuses_until_a_navigation(shop: Shop) -> None:
    driver, recorder = shop
    driver.crash()
    assert recorder.of(Crashed)
    with pytest.raises(TargetGone):
        await driver.observe()
    assert await driver.perform(click(driver, "pay")) == PerformRefused(
        "unavailable", "the tab crashed; navigate to continue"
    )
    await driver.navigate("http://shop.test/")
    assert isinstance(await driver.perform(click(driver, "pay")), PerformDispatched)


async def test_link_navigates_and_popup_opens_a_tab(shop: Shop) -> None:
    driver, recorder = shop
    await driver.perform(click(driver, "chat"))
    assert recorder.of(TabOpened)[-1].opener == "t1"
    outcome = await driver.perform(click(driver, "help"))
    assert isinstance(outcome, PerformDispatched) and outcome.interrupted_by == "navigation"
    assert [info.url for info in driver.tabs.all()] == ["http://shop.test/help"] * 2


async def test_secret_is_resolved_in_the_driver_only(shop: Shop) -> None:
    driver, _ = shop
    op = TypeText(guard=Guard(node=driver.node("code")), text=Secret(name="pin"))
    assert isinstance(await driver.perform(op), PerformDispatched)
    assert await driver.evaluate("code") == {"textValue": "42"}
    assert "42" not in repr(driver.performed)


async def test_page_outside_the_script_cannot_be_reached(shop: Shop) -> None:
    driver, _ = shop
    outcome = await driver.navigate("http://elsewhere.test/")
    assert isinstance(outcome, PerformRefused) and outcome.reason == "unavailable"
