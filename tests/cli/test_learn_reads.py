"""Learning reads: a person decides about each held request, in as many passes as the page needs."""

from __future__ import annotations

from collections.abc import Sequence

import click
import pytest
from click.testing import CliRunner

from tests.discovery.simulated_app import Element, Page, SimulatedApp, SimulatedRun, environment
from uiap.cli.learn_reads import learn_reads
from uiap.discovery import commands, events
from uiap.errors import Unavailable
from uiap.spec.discovery import DiscoveryPackage


class HeldRun(SimulatedRun):
    """A page that asks for its rows only once it has the answer to its first request."""

    def __init__(self, permitted: Sequence[str]) -> None:
        super().__init__(SimulatedApp({"/": Page([Element("button", "View")])}), environment("observe_only"))
        is_first_permitted = any("dashboard" in one for one in permitted)
        wanted = (
            "http://app.test/api/rows/query" if is_first_permitted else "http://app.test/api/dashboard/query"
        )
        self.held = (
            ()
            if any("rows" in one for one in permitted)
            else (events.BlockedRequest("POST", wanted, "write"),)
        )

    def answer(self, command: commands.Command) -> events.Event:
        made = super().answer(command)
        if isinstance(made, events.Arrived):
            return events.Arrived(
                at=made.at, observed=made.observed, effects=events.Effects(blocked=self.held)
            )
        return made


def learn(answers: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], str, BaseException | None]:
    passes: list[tuple[str, ...]] = []
    learned: list[tuple[str, ...]] = []

    def observe(permitted: Sequence[str]) -> DiscoveryPackage:
        passes.append(tuple(permitted))
        return HeldRun(permitted).complete()

    @click.command()
    def command() -> None:
        learned.append(learn_reads(observe, ("POST http://app.test/known*",)))

    result = CliRunner().invoke(command, input=answers)
    return (learned[0] if learned else ()), passes, result.output, result.exception


def test_a_permitted_read_shows_the_next_one_in_another_pass() -> None:
    learned, passes, output, _ = learn("y\ny\n")
    rows = "POST http://app.test/api/rows/query*"
    assert learned == ("POST http://app.test/known*", "POST http://app.test/api/dashboard/query*", rows)
    assert len(passes) == 3 and f"learned: --read-request '{rows}'" in output


def test_a_refused_read_stays_held_and_is_asked_about_once() -> None:
    learned, passes, output, _ = learn("n\n")
    assert learned == ("POST http://app.test/known*",) and len(passes) == 1
    assert output.count("Does it only read?") == 1


def test_without_an_answer_nothing_is_permitted() -> None:
    _, _, _, problem = learn("")
    assert isinstance(problem, Unavailable) and "--read-request" in str(problem)


@pytest.mark.parametrize("answer", ["", "\n"])
def test_the_default_answer_permits_nothing(answer: str) -> None:
    assert learn(answer)[0] in ((), ("POST http://app.test/known*",))
