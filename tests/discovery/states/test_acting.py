"""Actions that could not be performed: an element that was replaced or covered is tried once more."""

from __future__ import annotations

import pytest

from tests.discovery.simulated_app import BASE, Element, Page, Scope, SimulatedApp, SimulatedRun, environment
from uiap.discovery import commands, events

OVERLAID = {
    "/": Page(
        [
            Element("button", "Settings", opens="over"),
            Element("button", "View details"),
            Element("button", "View people"),
            Element("button", "Close", scope="over", closes="over"),
        ],
        (Scope("over", "region", "Settings", hidden=True),),
    )
}
PAGES = {
    "/": Page([Element("link", "Studies", href="/studies"), Element("button", "Show details")]),
    "/studies": Page(title="Studies"),
}


class RerenderingRun(SimulatedRun):
    """A run whose first presses fail, as on a page that replaces its elements."""

    def __init__(self, failures: int) -> None:
        super().__init__(SimulatedApp(PAGES), environment())
        self.failures = failures

    def answer(self, command: commands.Command) -> events.Event:
        if isinstance(command, commands.Act) and self.failures:
            self.failures -= 1
            return events.Acted(
                at=self.now(), status="failed", error="stale_target", observed=self.app.observe()
            )
        return super().answer(command)


@pytest.mark.requirement("DISC-11.6")
def test_a_link_that_was_replaced_before_the_press_is_loaded_by_its_address() -> None:
    run = RerenderingRun(failures=1)
    package = run.complete()
    assert BASE + "/studies" in run.app.loaded
    assert {one.route_id for one in package.transition_graph.states} == {"/", "/studies"}


@pytest.mark.requirement("DISC-11.6")
def test_a_button_that_was_replaced_before_the_press_is_pressed_once_more() -> None:
    run = RerenderingRun(failures=2)
    run.complete()
    assert run.app.pressed == ["Show details"]


class OverlaidRun(SimulatedRun):
    """A run on a page where an open region lies over everything else."""

    covered = 0

    def answer(self, command: commands.Command) -> events.Event:
        if isinstance(command, commands.Act) and "over" in self.app.open:
            one = self.app.nodes[command.node]
            if one.scope != "over":
                self.covered += 1
                return events.Acted(
                    at=self.now(),
                    status="failed",
                    error="target_not_interactable",
                    observed=self.app.observe(),
                )
        return super().answer(command)


@pytest.mark.requirement("DISC-11.6")
def test_controls_under_an_overlay_are_pressed_in_the_state_without_it() -> None:
    run = OverlaidRun(SimulatedApp(OVERLAID), environment())
    run.complete()
    assert {"View details", "View people", "Settings"} <= set(run.app.pressed)
    assert run.covered == 1


@pytest.mark.requirement("DISC-11.6")
def test_an_action_that_never_works_is_given_up_after_the_second_try() -> None:
    run = RerenderingRun(failures=100)
    run.complete()
    assert 100 - run.failures == 3
    assert run.app.pressed == []


def test_the_page_of_a_link_that_opens_another_window_is_visited() -> None:
    pages = {
        "/": Page([Element("link", "History", href="/history", popup="/history")]),
        "/history": Page([Element("button", "View changes")], title="History"),
    }
    run = SimulatedRun(SimulatedApp(pages), environment())
    package = run.complete()
    assert run.app.loaded.count(f"{BASE}/history") == 1
    assert {one.route_id for one in package.transition_graph.states} == {"/", "/history"}
    assert not any("points to" in one.description for one in package.review_queue.items)
