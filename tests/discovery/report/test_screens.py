"""The overview of a report: a card for each screen, with marks to filter by and links to evidence."""

from __future__ import annotations

from tests.discovery.simulated_app import Element, Page, Scope, SimulatedApp, SimulatedRun, environment
from uiap.discovery import commands, events
from uiap.discovery.report.screens import screens_html
from uiap.spec.discovery import DiscoveryPackage

PAGES = {
    "/": Page(
        [Element("button", "Settings", opens="box"), Element("button", "Close", scope="box", closes="box")],
        (Scope("box", "dialog", "Settings", hidden=True, modal=True),),
        title="<b>Home",
    )
}


class HeldRun(SimulatedRun):
    """A run on a page whose data comes by a request that the guard holds back."""

    def answer(self, command: commands.Command) -> events.Event:
        made = super().answer(command)
        if not isinstance(made, events.Arrived):
            return made
        held = events.BlockedRequest("POST", "http://app.test/api/query?x=1", "write")
        return events.Arrived(at=made.at, observed=made.observed, effects=events.Effects(blocked=(held,)))


def package() -> DiscoveryPackage:
    return HeldRun(SimulatedApp(PAGES), environment()).complete()


def test_every_screen_has_a_card_with_its_marks_and_evidence() -> None:
    html = screens_html(package(), {"st_1": SimulatedApp(PAGES).graph()})
    assert html.count("<article ") == 2 and 'data-marks="dialog' in html and "<option value" in html
    assert html.count('<a href="evidence/') >= 2 and "<svg class=thumb" in html
    assert "&lt;b&gt;Home" in html and "<b>Home" not in html


def test_a_screen_that_lacks_the_answer_of_a_read_is_marked_as_crippled() -> None:
    html = screens_html(package(), {})
    assert 'data-marks="page crippled' in html
    assert "lacks the answer to POST http://app.test/api/query" in html
