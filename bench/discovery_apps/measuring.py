"""Run discovery on every application and print its findings, those of a link crawl, and whether data changed."""

from __future__ import annotations

import importlib
import json
import shutil
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uiap
from bench.discovery_apps import rows
from bench.discovery_apps.app import ROOT, Absent, App, Running, running
from bench.discovery_apps.crawl import crawl
from bench.discovery_apps.measure import Measured, measure, truth
from bench.table import show
from uiap.api.discovery import DiscoveryOptions, discover, environment
from uiap.discovery.knowledge.press_groups import BUDGET_SPENT
from uiap.discovery.plan.address import address_pattern
from uiap.discovery.report.limits_line import limits_line
from uiap.spec.discovery import DiscoveryMode, DiscoveryPackage, DocumentationSeed

NAMES = (
    *("django_admin", "wagtail", "datasette", "jupyterlab"),
    *("flask_appbuilder", "helpdesk", "optuna", "node_red"),
    *("trac", "roundup", "verdaccio", "kinto"),
    *("ihatemoney", "prefect"),
    *("changedetection", "locust", "sqliteweb", "dagster"),
    *("fava", "mlflow", "octoprint", "sqladmin", "radicale"),
    *("burr", "evidently", "devpi", "klaus"),
)
STATES, SECONDS = 150, 600
TITLES = ("application", "half", "time", "states", "rows changed", "writes", "precision", "recall")


async def measure_apps(
    names: Sequence[str] = NAMES, *, mode: DiscoveryMode = "safe_explore", seconds: int = SECONDS
) -> bool:
    good = True
    table: list[tuple[str, ...]] = [TITLES]
    for name in names or NAMES:
        app: App = importlib.import_module(f"bench.discovery_apps.{name}").APP
        try:
            with running(app) as site:
                good = await _one(site, mode, seconds, table) and good
        except Absent as absent:
            print(f"{name}: not measured: {absent}")
            good = False
    return show("applications", table, []) and good


async def _one(site: Running, mode: DiscoveryMode, seconds: int, table: list[tuple[str, ...]]) -> bool:
    app = site.app
    linked = await _crawled(site) if mode == "safe_explore" and app.half == "developed with" else set()
    site.requests.clear()
    before, begun = data(site), time.monotonic()
    out = ROOT / app.name / f"found-{mode}"
    package = await explore(site, out, mode, seconds)
    spent = time.monotonic() - begun
    writes = site.requests.writes(app.expected_writes)
    changed = before.changed(data(site))
    ours = {address_pattern(url).partition("?")[0] for url in _addresses(package)}
    found = measure(package, out, truth(app.name))
    status, states = package.run.status, len(package.transition_graph.states)
    left = package.metadata.get("notTried", {}).get(BUDGET_SPENT, 0) if package.metadata else 0
    print(
        f"{app.name} ({app.versions}; {app.half}): {status} in {spent:.0f} s, {states} states, {left} actions left"
    )
    print(f"  {limits_line(package)}")
    print(f"  rows: {before.rows} hashed, changed: {changed or 'none'}; left out: {_left_out(app)}")
    print(f"  unexpected writes that reached the server: {', '.join(writes) or 'none'}")
    crawled = f", by a link crawl: {len(linked)}{_only('; only there', linked - ours)}" if linked else ""
    print(f"  route patterns: {len(ours)}{crawled}")
    print(f"  distinct states: precision {found.precision:.0%}, recall {found.recall:.0%}", flush=True)
    for title, names in _findings(app, found):
        print(f"    {title}: {', '.join(names)}")
    row = (app.versions, app.half, f"{spent:.0f} s", str(states), f"{sum(changed.values())} of {before.rows}")
    table.append((*row, str(len(writes)), f"{found.precision:.0%}", f"{found.recall:.0%}"))
    safe = mode != "safe_explore" or not (changed or writes)
    return status == "completed" and safe and (app.half != "developed with" or len(ours) >= len(linked))


def _findings(app: App, found: Measured) -> list[tuple[str, list[str]]]:
    """Return the states to study; none of an application that only measures."""
    if app.half == "measuring":
        return []
    lists = (("found twice", found.twice), ("not listed", found.unlisted), ("missed", found.missed))
    return [(title, names) for title, names in lists if names]


async def explore(
    site: Running, out: Path, mode: DiscoveryMode = "safe_explore", seconds: int = SECONDS
) -> DiscoveryPackage:
    app = site.app
    shutil.rmtree(out, ignore_errors=True)
    who = [app.principal] if app.principal is not None else []
    target = environment(
        site.home,
        mode=mode,
        principals=who,
        read_requests=[one.format(base=site.base) for one in app.read_requests],
        **{"max_states": STATES, "max_runtime_s": seconds, **app.options},
    )
    notes = {"documentation": app.documentation.format(base=site.base)} if app.documentation else {}
    seeds = tuple(DocumentationSeed(ref=key) for key in notes)
    return await discover(
        target,
        seeds=seeds,
        documents=notes,
        options=DiscoveryOptions(principals=who, ax_trees=False, out=out),
    )


def data(site: Running) -> rows.Data:
    app = site.app
    if app.exports:
        return rows.of_bodies([_body(site, path) for path in app.exports])
    if app.database is not None:
        return rows.of_database(site.folder / app.database, app.left_out)
    return rows.of_tree(site.folder / (app.tree or "."))


def _body(site: Running, path: str) -> bytes:
    request = urllib.request.Request(site.base + path, headers=dict(site.app.headers))
    with urllib.request.urlopen(request, timeout=30) as answer:
        body: bytes = answer.read()
    return body


def _addresses(package: DiscoveryPackage) -> set[str]:
    return {str(one.metadata["url"]) for one in package.transition_graph.states if one.metadata} | {
        url for one in package.route_catalog.routes for url in one.urls or ()
    }


async def _crawled(site: Running) -> set[str]:
    """Return the address patterns that a link crawl finds. It obeys every link, also those that order something."""
    return crawl(site.home, await _cookies(site))


async def _cookies(site: Running) -> list[dict[str, Any]]:
    """Return the cookies of a signed-in session, so that the crawl has the same access as the run."""
    who = site.app.principal
    if who is None:
        return []
    async with uiap.open(site.base + (who.url or "/")) as ui:
        for step in who.steps:
            await ui.act(**step)
        kept = ROOT / site.app.name / "signed-in.json"
        await ui.save_state(kept)
    return list(json.loads(kept.read_text())["cookies"])


def _left_out(app: App) -> str:
    named = [
        f"{table} ({', '.join(columns)})" if columns else table for table, columns in app.left_out.items()
    ]
    return f"{', '.join(named)}: {app.because}" if named else "nothing"


def _only(title: str, paths: set[str]) -> str:
    return f"{title}: {', '.join(sorted(paths))}" if paths else ""
