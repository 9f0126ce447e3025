"""Measure the chain on applications without annotations: discover, build, and find everything again on a fresh start.

The fresh start has other data. A second run reads its pages, and the bundle of the first run is applied to them. Each
control carries a mark (`aria-description`) that no part of uiap uses for matching; it tells a wrong element from the
right one. Then ten kinds of redesign change the live pages. `python -m bench chain --only=videoland` measures one
application, `--list` names what was not found.
"""

from __future__ import annotations

import asyncio

from bench.chain.apps import APPS
from bench.chain.measure import measure
from bench.discovery_apps.app import Absent

SUMMARY = "discover, build, fresh start: ids found again on applications without annotations"
FOUND_LEAST = 0.95


def run(*options: str) -> bool:
    given = dict(one.removeprefix("--").partition("=")[::2] for one in options)
    names = [given["only"]] if "only" in given else list(APPS)
    met = [asyncio.run(_met(name, listed="list" in given)) for name in names]
    return all(met)


async def _met(name: str, *, listed: bool) -> bool:
    try:
        parts, drifts = await measure(APPS[name])
    except Absent as absent:
        print(f"{name}: not measured: {absent}")
        return False
    for part in parts:
        print(
            f"{name:16} {part.kind:15} {part.found:4} of {part.whole:4} found again, {len(part.wrong)} wrong"
            f"{f', {part.unseen} on no stored page' if part.unseen else ''}"
        )
        if listed:
            print("".join(f"    {line}\n" for line in (*part.missing, *part.wrong)), end="")
    for one in drifts:
        print(f"{name:16} {one.kind:15} {one.right:4} right, {one.refused:4} refused, {len(one.wrong)} wrong")
        print("".join(f"    {line}\n" for line in one.wrong), end="")
    if any(one.wrong for one in drifts):
        return False
    return all(part.found >= FOUND_LEAST * part.whole and not part.wrong for part in parts)
