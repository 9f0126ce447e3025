"""Applies ten kinds of redesign to the live pages of an application, and resolves the bundle's elements after each.

Before a redesign every control gets a mark of its own. An id has to lead to the control that it led to before, or
nowhere; another control is wrong.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urljoin

from bench.chain.apps import Site
from bench.chain.live import read_page, signed_in
from uiap.api.ui import Ui
from uiap.graph.store import GraphStore
from uiap.host.bundles.bindings import Bindings
from uiap.runtime.resolve import Resolved, gather, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.authoring import ElementBinding, UIAPCompiledBundle
from uiap.spec.capability import StableIdRef

SCRIPT = Path(__file__).with_name("drift.js")
PAGES = 8
"""The pages of one application that are changed, those with the most ids first."""


class Drifted(NamedTuple):
    """The ids that one kind of redesign leaves right, refused or wrong."""

    kind: str
    right: int
    refused: int
    wrong: tuple[str, ...]


async def measure_drifts(site: Site, bundle: UIAPCompiledBundle, urls: Iterable[str]) -> tuple[Drifted, ...]:
    """Return the outcome of each kind of redesign over all pages."""
    bindings, pages = Bindings(bundle), list(urls)
    async with signed_in(site) as ui:
        kinds = list(await _run(ui, "kinds"))
        found = {kind: Drifted(kind, 0, 0, ()) for kind in kinds}
        for url in pages[:PAGES]:
            for kind in kinds:
                one = await _drift(ui, bindings, urljoin(site.url, url), kind)
                right, refused, wrong = found[kind][1:]
                found[kind] = Drifted(kind, right + one.right, refused + one.refused, wrong + one.wrong)
    return tuple(found.values())


async def _drift(ui: Ui, bindings: Bindings, url: str, kind: str) -> Drifted:
    await ui.navigate(url)
    await _run(ui, "mark")
    before = _marks(bindings, await read_page(ui))
    await _run(ui, kind)
    after = _marks(bindings, await read_page(ui))
    right = [id for id, mark in before.items() if after.get(id) == mark]
    wrong = [id for id, mark in before.items() if after.get(id, mark) != mark]
    refused = len(before) - len(right) - len(wrong)
    return Drifted(kind, len(right), refused, tuple(f"{url} {id}: {after[id]}" for id in wrong))


async def _run(ui: Ui, kind: str) -> list[str]:
    found: list[str] = await ui.evaluate(f"({SCRIPT.read_text('utf-8')})({json.dumps(kind)})")
    return found


def _marks(bindings: Bindings, store: GraphStore) -> dict[str, str]:
    """Return the mark of the element that each id leads to on the page."""
    found = ((id, _mark(bindings, store, one)) for id, one in bindings.elements.items())
    return {id: mark for id, mark in found if mark is not None}


def _mark(bindings: Bindings, store: GraphStore, binding: ElementBinding) -> str | None:
    target = ActionTarget(ref=StableIdRef(value=binding.id))
    found = resolve(target, bindings.bind(store, target, gather(store, target)), "ui.activate")
    if not isinstance(found, Resolved):
        return None
    element = found.winner.candidate.element
    return element.description if isinstance(element.description, str) else element.instance_id
