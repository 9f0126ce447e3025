"""A run that was killed is resumed from its folder, to the same package."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.discovery.shop import SHOP, comparable
from tests.discovery.simulated_app import SimulatedApp, SimulatedRun, environment
from uiap.discovery import commands, events
from uiap.discovery.machine import Run
from uiap.host.runs.exploration_store import FolderExplorationStore


class StoredRun(SimulatedRun):
    """A simulated run that stores its events and graphs in a folder, as the host does."""

    def __init__(self, folder: Path) -> None:
        super().__init__(SimulatedApp(SHOP), environment())
        self.store = FolderExplorationStore(folder)

    def send(self, event: events.Event) -> list[commands.Command]:
        observed = getattr(event, "observed", None)
        if observed is not None:
            data = msgspec.json.encode(observed.graph, order="sorted")
            assert self.store.save_evidence(data, "json") == observed.digest
        self.store.append_event(event)
        return super().send(event)


@pytest.mark.parametrize(("after", "torn"), [(0, False), (5, False), (9, True), (14, False), (17, True)])
def test_a_killed_run_resumes_from_its_folder_to_the_same_package(
    tmp_path: Path, after: int, torn: bool
) -> None:
    whole = SimulatedRun(SimulatedApp(SHOP), environment()).complete()
    first = StoredRun(tmp_path)
    first.store.write_terms(first.terms)
    left = first.carry_out(first.send(events.Started(at=first.now())), limit=after)
    assert left, "it was killed before its end"
    if torn:
        with (tmp_path / "journal.jsonl").open("ab") as journal:
            journal.write(b'{"event":"Acted","at":')
    second = StoredRun(tmp_path)
    terms = second.store.read_terms()
    assert terms == first.terms
    second.machine = Run(terms)
    for event in second.store.read_events():
        second.machine.handle(event)
    second.mono = first.mono
    second.carry_out(second.send(events.Interrupted(at=second.now())))
    assert comparable(second.final_package()) == comparable(whole)
    second.store.write_package(second.final_package())
    assert second.store.read_terms() is None, "a finished run is not started again"


def test_evidence_that_the_package_does_not_name_is_removed(tmp_path: Path) -> None:
    run = StoredRun(tmp_path)
    run.store.write_terms(run.terms)
    package = run.complete()
    run.store.save_evidence(b"{}", "json")
    run.store.write_package(package)
    assert package.evidence_index is not msgspec.UNSET
    named = {Path(str(one.uri)).name for one in package.evidence_index.items if one.uri}
    stored = {path.name for path in (tmp_path / "evidence").iterdir()}
    assert stored and stored <= named
