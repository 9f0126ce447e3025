"""The watch: changes that count as effects of our input, and changes of the page itself that never do."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.effect_report import NetworkTrace
from uiap.signals.work import PendingWork
from uiap.spec.capability import ToastContains
from uiap.spec.web import ToastShownSignal


def page(**state: object) -> Page:
    """f0e1 Save, f0e2 a text beside it, f0e3 a list."""
    made = Page()
    made.element("button", "Save", state=state)
    made.element("region", text="Total 10")
    made.element("list", "Feed")
    return made


def text(words: str) -> Change:
    return lambda made: node(made, "f0e2", text=words)


def item(id: str, words: str) -> Change:
    return lambda made: made.element("listitem", text=words, instance_id=id, parent_instance_id="f0e3")


def without(id: str) -> Change:
    return lambda made: setattr(made, "elements", [e for e in made.elements if e.instance_id != id])


def test_nothing_happened() -> None:
    report = Tab(page()).acts().report()
    assert (report.change, report.advanced) == (None, False)


@pytest.mark.requirement("ACT-12.2")
def test_a_change_in_the_task_of_our_input_is_caused() -> None:
    report = Tab(page()).acts().shows(text("Saved"), OURS).report()
    assert (report.change, report.attribution) == ("region: text changed", "caused")


def test_a_change_with_the_token_of_somebody_else_only_coincides() -> None:
    assert Tab(page()).acts().shows(text("Saved"), "op0").report().attribution == "coincident"


def test_a_change_after_the_answer_to_our_request_is_caused() -> None:
    tab = Tab(page()).acts().shows(text("Saved"), after=0.5)
    assert tab.report((100.4, 100.6)).attribution == "caused"
    assert tab.report((100.0, 100.2)).attribution == "coincident"


@pytest.mark.requirement("ACT-12.2")
@pytest.mark.parametrize("state", [{"focused": True}, {"hovered": True}, {"obscured": True}, {"busy": True}])
def test_focus_hover_cover_and_busy_are_never_effects(state: dict[str, bool]) -> None:
    tab = Tab(page()).acts().shows(lambda made: node(made, "f0e1", state=state), OURS)
    assert tab.report().change is None


def test_a_new_sort_order_of_a_column_is_an_effect_even_if_no_row_moves() -> None:
    tab = Tab(page()).acts().shows(lambda made: node(made, "f0e1", metadata={"sort": "ascending"}), OURS)
    assert tab.report().change is not None


def test_a_change_that_is_taken_back_is_no_change() -> None:
    tab = Tab(page()).acts().shows(text("Liked"), OURS)
    assert tab.report().change is not None
    assert tab.shows(text("Total 10"), after=0.3).report().change is None


def test_a_node_replaced_by_an_equal_one_is_no_change() -> None:
    tab = Tab(page()).shows(item("f0e9", "ada"))
    tab.now += 3
    tab.acts().shows(without("f0e9"), OURS).shows(item("f0e10", "ada"), OURS)
    assert tab.report().change is None
    assert tab.shows(item("f0e11", "bob"), OURS).report().change == "listitem added"


@pytest.mark.requirement("ACT-SEC.3")
def test_a_clock_beside_a_dead_button_never_counts() -> None:
    tab = Tab(page())
    for second in range(5):
        tab.shows(text(f"It is {second}"), after=0.3)
    tab.acts()
    for second in range(5, 9):
        tab.shows(text(f"It is {second}"), OURS if second == 6 else None, after=0.3)
    assert tab.report((100.0, 200.0)).change is None


def test_other_words_in_a_text_that_also_holds_a_clock_do_count() -> None:
    tab = Tab(page())
    for second in range(5):
        tab.shows(text(f"It is {second}"), after=0.3)
    report = tab.acts().shows(text("It is 5 Saved"), OURS).report()
    assert (report.change, report.attribution) == ("region: text changed", "caused")


def test_a_feed_that_fills_by_itself_never_counts_but_our_own_entry_does() -> None:
    tab = Tab(page()).shows(item("f0e9", "news"), after=0.5).acts()
    assert tab.shows(item("f0e10", "more"), after=0.5).report((0.0, 999.0)).change is None
    assert tab.shows(item("f0e11", "mine"), OURS).report().attribution == "caused"


def test_an_effect_of_ours_may_disappear_by_itself_and_appear_again() -> None:
    tab = Tab(page()).acts().shows(text("Saved"), OURS)
    tab.watch.close(tab.now)
    tab.shows(text(""), after=0.5).shows(text("Total 10"), after=0.1)
    assert tab.acts().shows(text("Saved"), OURS).report().attribution == "caused"


def test_a_toast_counts_after_it_disappeared() -> None:
    report = Tab(page()).acts().says(ToastShownSignal(text="Saved"), OURS).report()
    assert (report.change, report.attribution) == ('toast "Saved"', "caused")


def test_an_error_toast_is_a_complaint_and_no_effect() -> None:
    report = Tab(page()).acts().says(ToastShownSignal(text="No disk", level="error"), OURS).report()
    assert (report.change, report.complaint) == (None, "No disk")


def test_a_toast_is_caused_if_our_input_changed_its_element() -> None:
    tab = Tab(page()).acts(ToastContains(text="saved"))
    tab.says(ToastShownSignal(text="Saved", instance_id="f0e2"))
    assert tab.verdict().attribution == "coincident"
    assert tab.shows(text("Saved"), OURS).verdict().attribution == "caused"


def test_a_toast_before_dispatch_is_no_effect() -> None:
    tab = Tab(page())
    tab.watch.open((ToastContains(text="saved"),), None, tab.now)
    tab.says(ToastShownSignal(text="Saved"))
    tab.watch.dispatched(OURS, tab.now + 0.01)
    assert not tab.verdict().holds


def test_an_element_that_we_made_busy_is_reported_until_it_is_idle() -> None:
    tab = Tab(page()).acts()
    tab.shows(lambda made: made.element("progress", "Importing", instance_id="f0e9"), OURS)
    report = tab.report()
    assert (report.busy, report.change) == ('progress "Importing"', None)
    assert tab.shows(without("f0e9")).report().busy is None


def test_an_element_that_was_busy_before_is_not_reported() -> None:
    tab = Tab(page(busy=True)).acts().shows(text("Saved"), OURS)
    assert tab.report().busy is None


def test_two_seconds_later_a_change_is_forgotten() -> None:
    tab = Tab(page()).shows(text("One"))
    tab.now += 2.5
    assert tab.acts().shows(text("Two"), OURS).report().attribution == "caused"


def test_a_change_that_the_browser_followed_from_our_input_to_its_paint_is_caused() -> None:
    tab = Tab(page()).acts().shows(text("Saved at last"), after=0.8)
    assert tab.report().attribution == "coincident"
    tab.watch.paint_received(OURS, "f0e2", "Saved at last", tab.now + 0.05)
    assert tab.report().attribution == "caused"


@pytest.mark.requirement("ACT-SEC.3")
@pytest.mark.parametrize(
    ("token", "node", "words", "later"),
    [
        ("op0", "f0e2", "Saved", 0.05),  # the input of somebody else
        (OURS, "f0e1", "Saved", 0.05),  # another place
        (OURS, "f0e2", "Press", 0.05),  # other words
        (OURS, "f0e2", "Saved", 5.0),  # long after the change
        (OURS, "f0e2", "Saved", -0.5),  # before it
    ],
)
def test_a_paint_elsewhere_or_of_somebody_else_proves_nothing(
    token: str, node: str, words: str, later: float
) -> None:
    tab = Tab(page()).acts().shows(text("Saved"), after=0.8)
    tab.watch.paint_received(token, node, words, tab.now + later)
    assert tab.report().attribution == "coincident"


def test_a_late_toast_counts_when_our_input_painted_its_words_and_not_a_part_of_them() -> None:
    saved = ToastContains(text="saved")
    tab = Tab(page()).acts(saved).says(ToastShownSignal(text="Saved by Bob"), after=0.8)
    tab.watch.paint_received(OURS, "f0e1", "Save", tab.now + 0.02)  # the label of the button we pressed
    assert tab.verdict().attribution == "coincident"
    tab.watch.paint_received(OURS, "", "Saved by Bob", tab.now + 0.02)
    assert tab.verdict().attribution == "caused"


def toasts(words: str) -> ToastShownSignal:
    return ToastShownSignal(text=words)


@pytest.mark.requirement("ACT-SEC.3", "ACT-6.3")
def test_a_message_shown_after_every_load_is_no_effect_of_navigation() -> None:
    tab = Tab(page()).loads(page()).says(toasts("Saved"), after=0.3)
    tab.now += 60
    tab.acts(ToastContains(text="Saved")).loads(page()).says(toasts("Saved"), after=0.3)
    window = (tab.now - 1, tab.now + 1)
    assert tab.verdict(window, navigating=True).attribution == "background"
    assert tab.watch.report(NetworkTrace((window,), True, wrote=True)).verdicts[0].attribution == "caused", (
        "after a submitted form the same text is its answer"
    )


@pytest.mark.requirement("ACT-SEC.3", "ACT-6.3")
def test_a_text_in_the_first_snapshot_is_no_effect_of_loading_the_page_again() -> None:
    """The page was slow to load, so its message came before the watch started, without a signal."""

    def page_with_status(text: str) -> Page:
        slow = page()
        node(slow, "f0e2", role="status", text=text)
        return slow

    for before, attribution in (("Saved", "background"), ("Idle", "caused")):
        tab = Tab(page()).loads(page_with_status(before))
        tab.now += 60
        tab.acts(ToastContains(text="Saved")).loads(page()).says(toasts("Saved"), after=0.3)
        window = (tab.now - 1, tab.now + 1)
        assert tab.verdict(window, navigating=True).attribution == attribution
        verdict = tab.watch.report(NetworkTrace((window,), True, wrote=True)).verdicts[0]
        assert verdict.attribution == "caused", "after a submitted form the same text is its answer"


@pytest.mark.requirement("ACT-6.3")
def test_a_message_after_a_submitted_form_is_no_load_message() -> None:
    tab = Tab(page()).acts(ToastContains(text="Saved"))
    for _ in range(2):
        tab.loads(page()).says(toasts("Saved"), after=0.3)
        sent = NetworkTrace(((tab.now - 1, tab.now + 1),), True, wrote=True)
        assert tab.watch.report(sent).verdicts[0].attribution == "caused"
        tab.watch.close(tab.now)
        tab.now += 60
        tab.acts(ToastContains(text="Saved"))


def test_an_effect_of_an_answer_is_no_background_when_the_action_is_repeated() -> None:
    """Add a second article to the basket, one second after the first. Neither change carries a token."""
    tab = Tab(page()).acts().shows(text("Basket: 1"), after=0.3)
    assert tab.report((tab.now - 0.1, tab.now + 0.1)).attribution == "caused"
    tab.watch.close(tab.now)
    tab.now += 0.2
    tab.acts(ToastContains(text="basket: 2")).shows(text("Basket: 2"), after=0.3)
    tab.says(ToastShownSignal(text="Basket: 2", instance_id="f0e2"))
    report = tab.report((tab.now - 0.1, tab.now + 0.1))
    assert (report.attribution, report.verdicts[0].attribution) == ("caused", "caused")


@pytest.mark.parametrize(
    ("token", "stays", "shown"), [(OURS, False, ("Total 95",)), (None, False, ()), (OURS, True, ())]
)
def test_the_text_that_our_input_left_counts_only_where_its_target_is_gone(
    token: str | None, stays: bool, shown: tuple[str, ...]
) -> None:
    tab = Tab(page()).acts(target="f0e1").shows(text("Total 95"), token)
    if not stays:
        tab.shows(without("f0e1"), OURS)
    assert tab.report().shown_instead == shown


def test_the_work_of_an_earlier_gesture_counts_if_a_later_one_sent_nothing() -> None:
    tab = Tab(Page()).acts()
    tab.watch.dispatched("op2", tab.now)
    assert tab.report().work is None
    timer = PendingWork("timer", tab.now, 500)
    tab.watch.work_received(OURS, (timer,), tab.now)
    assert tab.report().work == (timer,)
    tab.watch.work_received(OURS, (), tab.now)
    assert tab.report().work is None
    tab.watch.work_received("op2", (), tab.now)
    assert tab.report().work == ()
