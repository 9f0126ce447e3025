"""`uiap discover URL` explores an application, `plan` shows what a run would do, `diff A B` compares two packages.

The commands of `discover_control` control a run that is active.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from uiap.cli import discover_control, discover_queue
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.spec.discovery import DISCOVERY_MODES, DISCOVERY_SEED_KINDS, DiscoveryPackage, DiscoverySeed
from uiap.spec.web import PageGraph

if TYPE_CHECKING:
    from uiap.api.discovery import DiscoveryRun

_SEED_MEMBERS = {
    "route": "routeId",
    "url": "url",
    "menu": "label",
    "action": "actionId",
    "workflow": "workflowId",
    "documentation": "ref",
}


class DiscoverGroup(click.Group):
    """A group whose first argument is an address, unless it is the name of a command."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            args = ["run", *args]
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if not args or (args[0] in ("-h", "--help")):
            args = ["run", *(args or ["--help"])]
        elif args[0] not in self.commands:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=DiscoverGroup, help="Explore an application safely, or compare two packages.")
def command() -> None:
    pass


for _control in (*discover_control.COMMANDS, discover_queue.queued):
    command.add_command(_control)


_RUN_OPTIONS = (
    click.argument("url"),
    click.option("--mode", type=click.Choice(DISCOVERY_MODES), default="safe_explore", show_default=True),
    click.option("--max-states", type=int, metavar="N", help="Distinct states (default 200)."),
    click.option("--max-transitions", type=int, metavar="N", help="Actions executed (default 1000)."),
    click.option("--max-depth", type=int, metavar="N", help="Steps after an address (default 8)."),
    click.option("--max-per-route", type=int, metavar="N", help="States of one route (default 25)."),
    click.option("--max-runtime", type=float, metavar="SECONDS", help="Time spent exploring (default 600)."),
    click.option(
        "--seed",
        "seeds",
        multiple=True,
        metavar="KIND:VALUE",
        help="Where to start: " + ", ".join(DISCOVERY_SEED_KINDS) + ".",
    ),
    click.option(
        "--from-package",
        "known",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        help="Start with the routes of an earlier package.",
    ),
    click.option(
        "--bundle",
        metavar="FILE",
        help="Start with the routes and workflows of the app's compiled bundle; its policy is in force.",
    ),
    click.option(
        "--trust", multiple=True, metavar="KEY|FILE", help="A public key the bundle must be signed with."
    ),
    click.option(
        "--document",
        "documents",
        multiple=True,
        type=click.Path(exists=True, dir_okay=False),
        help="A text file whose addresses are visited.",
    ),
    click.option("--origin", "origins", multiple=True, metavar="ORIGIN", help="Another allowed origin."),
    click.option(
        "--read-request",
        "reads",
        multiple=True,
        metavar="'POST URL*'",
        help="A request that only reads and is not blocked.",
    ),
    click.option(
        "--sign-in",
        metavar="URL",
        help="An address that signs in; the network guard permits its posts until it has settled.",
    ),
    click.option(
        "--storage-state", type=click.Path(exists=True, dir_okay=False), help="A saved session to reuse."
    ),
    click.option(
        "--principals",
        type=click.Path(exists=True, dir_okay=False),
        help="A JSON file with several principals and how they sign in.",
    ),
    click.option("--locale", metavar="TAG", help="The language of the browser, such as de-CH."),
    click.option("--viewport", metavar="WxH", help="The size of the page (default 1280x800)."),
    click.option(
        "--flag", "flags", multiple=True, metavar="NAME=VALUE", help="A feature flag of the application."
    ),
    click.option(
        "--flags-in",
        type=click.Choice(("cookie", "localStorage")),
        help="Where the application reads its feature flags.",
    ),
    click.option("--allow-external-effects", is_flag=True, help="sandbox_write only."),
    click.option("--allow-destructive-actions", is_flag=True, help="sandbox_write only."),
    click.option("--allow-auth-flows", is_flag=True, help="sandbox_write only."),
    click.option(
        "--allow-payment-flows",
        is_flag=True,
        help="Payments go to review instead of being denied; they are never executed.",
    ),
    click.option(
        "--authorised-by",
        metavar="NAME",
        help="The person who allowed exploring a host that is not a test environment.",
    ),
)


def _run_options(function: Callable[..., int]) -> Callable[..., int]:
    """Add the options that `run` and `plan` share."""
    for decorate in reversed(_RUN_OPTIONS):
        function = decorate(function)
    return function


@command.command(
    "run",
    options_metavar="[OPTIONS]",
    help="Explore URL within bounds and write package.json, evidence and report.html.\n\n"
    "Nothing is written to the application unless you give --mode sandbox_write: the browser blocks every request "
    "that could write.\n\nOther commands: `uiap discover status`, `pause`, `resume` and `cancel` control the run in a "
    "FOLDER. `uiap discover plan URL` shows what a run would do. `uiap discover diff A B` compares two packages.",
)
@_run_options
@click.option(
    "--out", type=click.Path(file_okay=False), default="discovery", show_default=True, metavar="FOLDER"
)
@click.option("--screenshots", is_flag=True, help="Also store screenshots; they cannot be redacted.")
@click.option("--no-ax", is_flag=True, help="Do not store accessibility trees.")
@click.option("--no-sitemap", is_flag=True, help="Do not read /sitemap.xml.")
@click.option(
    "--workers",
    type=click.IntRange(1, 8),
    default=1,
    show_default=True,
    metavar="N",
    help="Browsers that explore at the same time; each signs in by itself.",
)
@click.option(
    "--learn-reads",
    is_flag=True,
    help="First load the start pages, press nothing, and ask about each held request that looks like a read.",
)
@click.option("--resume", is_flag=True, help="Continue an interrupted run in this folder.")
@click.option("--headed", is_flag=True, help="Show the browser.")
@click.option(
    "--queue", is_flag=True, help="Leave the run to a `uiap worker` of the --database, and return at once."
)
@click.option("--database", metavar="URL", help="With --queue: a SQLite file or a PostgreSQL URL.")
@json_option
def run(**given: Any) -> int:
    out = Path(given["out"])
    if (out / "package.json").exists() and not given["resume"]:
        raise Unavailable(f"`{out}` already has a package; choose another --out")
    if given["learn_reads"]:
        from uiap.cli.learn_reads import learn_reads

        given["reads"] = learn_reads(
            lambda reads: asyncio.run(_observe(given, _principals(given), reads)), given["reads"]
        )
    if given["queue"]:
        return discover_queue.queue(given)
    progress = ProgressLine(quiet=given["as_json"])
    try:
        package = asyncio.run(_run_and_wait(given, _options(given, out, progress), out))
    except KeyboardInterrupt:
        progress.clear()
        raise Unavailable(
            f"stopped; continue with: uiap discover {given['url']} --out {out} --resume"
        ) from None
    progress.clear()
    write_report(out, package)
    _print_summary(package, out, as_json=given["as_json"])
    return 0 if package.run.status == "completed" else 1


async def _observe(
    given: dict[str, Any], principals: Sequence[Any], reads: Sequence[str]
) -> DiscoveryPackage:
    """Load the start pages, press nothing, and return the package."""
    from uiap.api.absent import absent_for_none
    from uiap.api.discovery import DiscoveryOptions

    observing = {**given, "mode": "observe_only", "reads": tuple(reads)}
    options = DiscoveryOptions(
        principals=principals,
        ax_trees=False,
        sitemap=not given["no_sitemap"],
        headless=not given["headed"],
    )
    discovery = _plan_run(observing, options)
    discovery.start()
    return absent_for_none(await discovery.package())


def _options(given: dict[str, Any], out: Path, progress: ProgressLine) -> Any:
    from uiap.api.discovery import DiscoveryOptions

    return DiscoveryOptions(
        out=out,
        principals=_principals(given),
        screenshots=given["screenshots"],
        ax_trees=not given["no_ax"],
        sitemap=not given["no_sitemap"],
        headless=not given["headed"],
        resume=given["resume"],
        workers=given["workers"],
        on_progress=progress.show,
    )


async def explore_queued(given: dict[str, Any], out: Path) -> str:
    """Carry out a queued discovery, or continue it in its folder, and return its status."""
    written = await asyncio.to_thread(_written_package, out)
    if written is not None:  # it was complete, and its worker ended before it reported that
        return written.run.status
    package = await _run_and_wait(given, _options(given, out, ProgressLine(quiet=True)), out)
    await asyncio.to_thread(write_report, out, package)
    return package.run.status


def _written_package(out: Path) -> DiscoveryPackage | None:
    file = out / "package.json"
    return read_package(str(file)) if file.exists() else None


async def _run_and_wait(given: dict[str, Any], options: Any, out: Path) -> DiscoveryPackage:
    """Run until the package is complete; `uiap discover pause` and the like reach it through a socket."""
    from uiap import settings
    from uiap.api.absent import absent_for_none
    from uiap.host.runs.run_socket import RunSocket, socket_path

    discovery = _plan_run(given, options)
    async with RunSocket(
        discovery.exploration, discovery.clock, socket_path(settings.read().runtime, out)
    ) as run_socket:
        discovery.listen(lambda type, payload: run_socket.publish_progress(type, absent_for_none(payload)))
        discovery.start()
        return absent_for_none(await discovery.package())


def _plan_run(given: dict[str, Any], options: Any) -> DiscoveryRun:
    from uiap.api.discovery import environment, plan
    from uiap.api.open_session import bundle_for

    target = environment(
        given["url"],
        mode=given["mode"],
        max_states=given["max_states"],
        max_transitions=given["max_transitions"],
        max_depth=given["max_depth"],
        max_per_route=given["max_per_route"],
        max_runtime_s=given["max_runtime"],
        origins=given["origins"],
        read_requests=given["reads"],
        principals=options.principals,
        locale=given["locale"],
        viewport=_viewport(given["viewport"]),
        feature_flags=dict(one.partition("=")[::2] for one in given["flags"]) or None,
        flags_in=given["flags_in"],
        authorised_by=given["authorised_by"],
        allow_external_effects=given["allow_external_effects"],
        allow_destructive_actions=given["allow_destructive_actions"],
        allow_auth_flows=given["allow_auth_flows"],
        allow_payment_flows=given["allow_payment_flows"],
    )
    texts = {str(path): Path(path).read_text("utf-8") for path in given["documents"]}
    seeds = (*map(_seed, given["seeds"]), *(_seed(f"documentation:{path}") for path in texts))
    bundle = bundle_for(target.base_url, given["bundle"], given["trust"] or None)
    known = [read_package(path) for path in given["known"]]
    return plan(target, seeds=seeds, known=known, documents=texts, bundle=bundle, options=options)


@command.command("plan", help="Show where a run would start and what it may do. Nothing is opened.")
@_run_options
@json_option
def plan(**given: Any) -> int:
    from uiap.api.absent import to_builtins
    from uiap.api.discovery import DiscoveryOptions

    discovery = _plan_run(given, DiscoveryOptions(principals=_principals(given)))
    planned, run_plan = discovery.planned, discovery.exploration.run.plan
    bounds = run_plan.bounds
    if given["as_json"]:
        print_json(
            {"planned": to_builtins(planned), "environment": run_plan.environment, "bounds": asdict(bounds)}
        )
        return 0
    click.echo(f"{run_plan.environment.base_url}, {run_plan.safety.default_mode}")
    click.echo(f"origins: {', '.join(run_plan.allowed_origins.origins)}")
    principals = ", ".join(one for one in run_plan.profiles if one) or "none, without signing in"
    click.echo(f"principals: {principals}")
    click.echo(
        f"at most {bounds.states} states ({bounds.per_route} of one route), {bounds.transitions} actions, "
        f"{bounds.depth} steps after an address, {bounds.runtime_ms / 1000:g} s"
    )
    count = planned.estimated_seed_count
    click.echo(
        f"starts at {count} address{'es' if count != 1 else ''}, and those in the application's sitemap"
    )
    for one in planned.rejected_seeds or ():
        click.echo(f"rejected: {_describe_seed(one.seed)}: {one.reason}")
    return 0


class ProgressLine:
    """One line on a terminal that shows the progress; nothing if the output is not a terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._live = sys.stderr.isatty() and not quiet

    def show(self, _type: str, payload: Any) -> None:
        if self._live:
            route = payload.current_route_id or ""
            line = (
                f"{payload.status}: {payload.visited_states} states, {payload.visited_transitions} actions, "
            )
            click.echo(f"\r\x1b[2K{line}{payload.discovered_routes} routes  {route}", nl=False, err=True)

    def clear(self) -> None:
        if self._live:
            click.echo("\r\x1b[2K", nl=False, err=True)


def write_report(out: Path, package: DiscoveryPackage) -> None:
    from uiap.discovery.report.report import html_report

    (out / "report.html").write_text(html_report(package, _graphs(out, package)), "utf-8")


def _graphs(out: Path, package: DiscoveryPackage) -> dict[str, PageGraph]:
    """Return the stored graphs of the states, for thumbnails."""
    items = package.evidence_index.items if package.evidence_index else ()
    return {
        str(one.state_id): msgspec.json.decode((out / str(one.uri)).read_bytes(), type=PageGraph)
        for one in items
        if one.kind == "page_graph" and one.uri and (out / str(one.uri)).exists()
    }


def _print_summary(package: DiscoveryPackage, out: Path, *, as_json: bool) -> None:
    covered = package.coverage
    if as_json:
        print_json({"status": package.run.status, "out": str(out), "coverage": covered})
        return
    from uiap.discovery.report.limits_line import limits_line
    from uiap.discovery.report.network_line import network_line, read_hints

    if package.run.status == "failed":
        for note in package.run.notes or ():
            click.echo(note, err=True)
    click.echo(network_line(package))
    hints = read_hints(package)
    for hint in hints:
        click.echo(hint)
    if hints:
        click.echo("or start again with --learn-reads, which asks about each of them")
    states, actions = len(package.transition_graph.states), len(package.transition_graph.edges)
    click.echo(
        f"{package.run.status}: {covered.routes_discovered} routes, {covered.scopes_discovered} scopes, "
        f"{covered.elements_discovered} elements, {states} states, {actions} transitions"
    )
    click.echo(limits_line(package))
    reasons = (package.metadata or {}).get("notTried") or {}
    if reasons:
        shown = ", ".join(f"{count} {reason}" for reason, count in list(reasons.items())[:3])
        click.echo(f"not tried: {sum(reasons.values())} controls ({shown}, …)")
    click.echo(
        f"to review: {covered.review_items} items, {covered.workflow_candidates_discovered} workflow candidates; "
        f"{covered.opaque_regions} regions could not be read"
    )
    click.echo(f"written: {out / 'package.json'}, {out / 'report.html'}")
    click.echo(f"next: uiap init --from-discovery {out / 'package.json'} FOLDER")


@command.command(
    "diff", help="Show what appeared, vanished and changed between two packages or two principals."
)
@click.argument("before", type=click.Path(exists=True, dir_okay=False))
@click.argument("after", type=click.Path(exists=True, dir_okay=False))
@click.option(
    "--principal",
    "principals",
    nargs=2,
    metavar="A B",
    help="Compare what A found in BEFORE with what B found in AFTER.",
)
@json_option
def diff(before: str, after: str, principals: tuple[str, str] | None, as_json: bool) -> int:
    from uiap.discovery.package.compare import compare, diff_lines

    one, other = principals or (None, None)
    differences = compare(read_package(before), read_package(after), one=one, other=other)
    if as_json:
        print_json(differences)
    else:
        for line in diff_lines(differences):
            click.echo(line)
    return 0


def read_package(path: str) -> DiscoveryPackage:
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=DiscoveryPackage)
    except msgspec.DecodeError as error:
        raise Unavailable(f"`{path}` is not a discovery package: {error}") from None


def _seed(text: str) -> DiscoverySeed:
    kind, _, value = text.partition(":")
    if kind not in _SEED_MEMBERS or not value:
        raise click.UsageError(
            f"`{text}` is not a seed; write KIND:VALUE, with one of the kinds {', '.join(DISCOVERY_SEED_KINDS)}"
        )
    seed: DiscoverySeed = msgspec.convert({"kind": kind, _SEED_MEMBERS[kind]: value}, DiscoverySeed)
    return seed


def _describe_seed(seed: DiscoverySeed) -> str:
    return f"{seed.kind} `{msgspec.to_builtins(seed)[_SEED_MEMBERS[seed.kind]]}`"


def _viewport(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    width, _, height = text.partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise click.UsageError(f"`{text}` is not a size; write it as 1280x800")
    return int(width), int(height)


def _principals(given: dict[str, Any]) -> Sequence[Any]:
    from uiap.api.discovery import Principal

    if given["principals"]:
        listed = msgspec.json.decode(Path(given["principals"]).read_bytes())
        return [
            Principal(
                id=one["id"],
                roles=tuple(one.get("roles", ())),
                grants=tuple(one.get("grants", ())),
                url=one.get("url"),
                steps=tuple(one.get("steps", ())),
                storage_state=Path(one["storageState"]) if one.get("storageState") else None,
            )
            for one in listed
        ]
    if given["sign_in"] or given["storage_state"]:
        state = Path(given["storage_state"]) if given["storage_state"] else None
        return [Principal(id="user", url=given["sign_in"], storage_state=state)]
    return []
