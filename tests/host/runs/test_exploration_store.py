"""A run whose process was killed goes on from its folder, to the same package."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.discovery.test_machine import SHOP
from tests.discovery.world import Journey, World, asked
from uiap.discovery import commands as do
from uiap.discovery import events as when
from uiap.discovery.machine import Run
from uiap.host.runs.exploration_store import FolderExplorationStore
from uiap.spec.discovery import DiscoveryPackage


class Kept(Journey):
    """A journey that keeps its books in a folder, as the host does."""

    def __init__(self, folder: Path) -> None:
        super().__init__(World(SHOP), asked())
        self.keeper = FolderExplorationStore(folder)

    def tell(self, event: when.Event) -> list[do.Command]:
        sight = getattr(event, "observed", None)
        if sight is not None:
            assert (
                self.keeper.save_evidence(msgspec.json.encode(sight.graph, order="sorted"), "json")
                == sight.digest
            )
        self.keeper.append_event(event)
        return super().tell(event)


def _plain(package: DiscoveryPackage) -> Any:
    plain = msgspec.to_builtins(package)
    for member in ("runId", "startedAt", "finishedAt"):
        plain["run"].pop(member)
    return plain


@pytest.mark.parametrize(("after", "torn"), [(0, False), (5, False), (9, True), (14, False), (17, True)])
def test_a_killed_run_goes_on_to_the_same_package(tmp_path: Path, after: int, torn: bool) -> None:
    whole = Journey(World(SHOP), asked()).go()
    first = Kept(tmp_path)
    first.keeper.write_terms(first.terms)
    left = first.steps(first.tell(when.Started(at=first.at())), limit=after)
    assert left, "it was killed before its end"
    if torn:
        with (tmp_path / "journal.jsonl").open("ab") as journal:
            journal.write(b'{"event":"Acted","at":')
    second = Kept(tmp_path)
    terms = second.keeper.read_terms()
    assert terms == first.terms
    second.run = Run(terms)
    for event in second.keeper.read_events():
        second.run.handle(event)
    second.mono = first.mono
    second.steps(second.tell(when.Interrupted(at=second.at())))
    assert _plain(second.ended()) == _plain(whole)
    second.keeper.write_package(second.ended())
    assert second.keeper.read_terms() is None, "a finished run is not begun again"


def test_only_what_the_package_names_stays_as_evidence(tmp_path: Path) -> None:
    journey = Kept(tmp_path)
    journey.keeper.write_terms(journey.terms)
    package = journey.go()
    journey.keeper.save_evidence(b"{}", "json")
    journey.keeper.write_package(package)
    assert package.evidence_index is not msgspec.UNSET
    named = {Path(str(one.uri)).name for one in package.evidence_index.items if one.uri}
    kept = {path.name for path in (tmp_path / "evidence").iterdir()}
    assert kept and kept <= named
