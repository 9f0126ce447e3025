"""Shared parts of the authoring commands: read a package folder, run the build, print its diagnostics.

This is the only module that gives `uiap.authoring` files and the clock. A symbolic link inside a package folder is an
error and is never followed.
"""

from __future__ import annotations

import gc
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import click
import msgspec
from msgspec import UNSET

from uiap.authoring.analysis.review_states import review_states
from uiap.authoring.assembly.imports import LOCK_FILE, Files, Lock
from uiap.authoring.assembly.package import MAX_FILES, PACKAGE_FILES
from uiap.authoring.build import Built, build
from uiap.authoring.diagnostic import Diagnostic, sort_diagnostics
from uiap.authoring.documents.document import Cache
from uiap.authoring.documents.source import MANIFEST_SUFFIXES, MAX_BYTES, MAX_DISCOVERY_BYTES
from uiap.authoring.kinds.review_set import BadTimestamp, parse_timestamp
from uiap.cli.cache import DocumentCache
from uiap.cli.registry import PackageLibrary, registry_at, replace_file
from uiap.errors import Unavailable
from uiap.spec.authoring import RELEASE_CHANNELS, BuildContext

DONE, FAILED, REFUSED = 0, 1, 3  # click ends with 2 if the usage is wrong
SKIPPED = frozenset({"dist", "node_modules", "__pycache__"})
Command = TypeVar("Command", bound=Callable[..., Any])


class PackageFolder(NamedTuple):
    files: dict[str, bytes]
    faults: tuple[Diagnostic, ...]


class BuildOptions(NamedTuple):
    """The build context, the sources of imports, and the time of the build."""

    context: BuildContext
    registries: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    update_lock: bool = False
    at: str | None = None


def read_folder(root: str | Path) -> PackageFolder:
    """Return the manifests and JSON files of a package folder by relative path."""
    root = Path(root)
    if not root.is_dir():
        raise Unavailable(f"there is no folder `{root}`; create a package with: uiap init {root}")
    files: dict[str, bytes] = {}
    faults: list[Diagnostic] = []
    for name, path in _walk(str(root), "", faults):
        if len(files) > MAX_FILES:
            raise Unavailable(f"`{root}` holds more than {MAX_FILES} manifest files")
        files[name] = _content(path)
    return PackageFolder(files, tuple(faults))


def _walk(folder: str, inside: str, faults: list[Diagnostic]) -> Iterator[tuple[str, str]]:
    """Yield relative name and path of each package file, sorted by name."""
    with os.scandir(folder) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if entry.name.startswith(".") or entry.name in SKIPPED or entry.name == LOCK_FILE:
            continue
        name = inside + entry.name
        if entry.is_symlink():
            message = "symbolic links are not followed; copy the file into the package"
            faults.append(Diagnostic(code="link", severity="error", message=message, file=name, line=1))
        elif entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, f"{name}/", faults)
        elif entry.is_file(follow_symlinks=False) and _is_package_file(entry.name):
            yield name, entry.path


def _is_package_file(name: str) -> bool:
    return name.endswith(MANIFEST_SUFFIXES) or (name.endswith(".json") and not name.endswith(".bundle.json"))


def _content(path: str) -> bytes:
    """Return the content, read up to one byte over the limit, so that the build sees that it is too large."""
    limit = MAX_BYTES if path.endswith(MANIFEST_SUFFIXES) else MAX_DISCOVERY_BYTES
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise Unavailable(f"`{path}` is not a plain file")
        return file.read(limit + 1)


def run_build(folder: str | Path, options: BuildOptions, cache: Cache | None = None) -> Built:
    """Read and build one package folder; problems of the folder itself are among the diagnostics."""
    read = read_folder(folder)
    lock = None if options.update_lock else read_lock(folder)
    with _without_garbage_collection():
        built = build(
            read.files,
            context=options.context,
            now=options.at or datetime.now(UTC).isoformat(),
            imports=_library(options),
            lock=lock,
            cache=cache,
        )
    if not read.faults:
        return built
    return built._replace(diagnostics=sort_diagnostics([*built.diagnostics, *read.faults]), data=b"")


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Disable the garbage collector: a build allocates much and frees little."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.freeze()  # documents have no cycles, so they need no later collection
            gc.enable()


def _library(options: BuildOptions) -> PackageLibrary:
    folders: dict[str, Mapping[str, Files]] = {}
    for where in options.folders:
        files = read_folder(where).files
        name = next((file for file in PACKAGE_FILES if file in files), None)
        found = build(files, now=datetime.now(UTC).isoformat()).package if name else None
        if found is None:
            raise Unavailable(f"`{where}` is not a package folder; check it with: uiap validate {where}")
        folders[found.spec.package_id] = {found.spec.version: files}
    return PackageLibrary(folders, tuple(registry_at(where) for where in options.registries))


def read_lock(folder: str | Path) -> Lock | None:
    path = Path(folder) / LOCK_FILE
    if not path.is_file():
        return None
    try:
        return msgspec.json.decode(path.read_bytes(), type=Lock)
    except msgspec.MsgspecError as error:
        raise Unavailable(f"`{path}` is damaged: {error}; delete it and build again") from None


def write_lock(folder: str | Path, built: Built, *, update: bool) -> None:
    """Pin the imports of this build; an existing lock file changes only with `update`."""
    path = Path(folder) / LOCK_FILE
    if built.lock is None or not built.lock.packages or (path.exists() and not update):
        return
    replace_file(path, msgspec.json.format(msgspec.json.encode(built.lock), indent=2) + b"\n")


def context_options(command: Command) -> Command:
    """Add the options of the build context to a command that builds."""
    for option in reversed(
        (
            click.option(
                "--channel", type=click.Choice(RELEASE_CHANNELS), help="Release channel to build for."
            ),
            click.option("--environment", help="Environment id, e.g. staging."),
            click.option("--locale", help="Resolve texts in this locale, e.g. de-CH."),
            click.option("--tenant", help="Tenant id."),
            click.option("--profile", help="Principal profile, e.g. workspace-admin."),
            click.option("--app-version", help="Version of the app the bundle is for."),
            click.option(
                "--registry", multiple=True, metavar="FOLDER|URL", help="A registry to import from."
            ),
            click.option(
                "--import",
                "folders",
                multiple=True,
                metavar="FOLDER",
                help="A package folder to import from.",
            ),
            click.option("--update-lock", is_flag=True, help="Resolve imports again and pin the result."),
            click.option("--at", metavar="TIME", help="Evaluate waivers at this time instead of now."),
        )
    ):
        command = option(command)
    return command


no_cache_option = click.option("--no-cache", is_flag=True, help="Read every file again and write no cache.")


def document_cache(folder: str | Path, given: dict[str, Any]) -> DocumentCache:
    """Return the cache of earlier commands, or with --no-cache an empty one that is never saved."""
    return DocumentCache(folder, persistent=not given["no_cache"])


def options_from(given: dict[str, Any]) -> BuildOptions:
    """Return the build options from the command's flags."""
    context = BuildContext(
        channel=given["channel"] or UNSET,
        environment=given["environment"] or UNSET,
        locale=given["locale"] or UNSET,
        tenant_id=given["tenant"] or UNSET,
        principal_profile=given["profile"] or UNSET,
        app_version=given["app_version"] or UNSET,
    )
    if given["at"] is not None:
        try:
            parse_timestamp(given["at"])
        except BadTimestamp as error:
            raise click.UsageError(f"--at: {error}") from None
    return BuildOptions(context, given["registry"], given["folders"], given["update_lock"], given["at"])


def print_diagnostics(diagnostics: Iterable[Diagnostic], *, quiet_info: bool = False) -> None:
    """Print the diagnostics to standard error, grouped by file, the most severe first."""
    printed = [d for d in diagnostics if not (quiet_info and d.severity == "info")]
    groups: dict[str, list[Diagnostic]] = {}
    for found in printed:
        groups.setdefault(found.file, []).append(found)
    for file, group in groups.items():
        click.secho(file or "package", bold=True, err=True)
        for found in group:
            line = (
                "" if found.line is UNSET else f"{found.line}:{1 if found.column is UNSET else found.column}"
            )
            word = click.style(f"{found.severity:8}", fg=_COLOURS[found.severity])
            click.echo(f"  {line:>7}  {word} {found.message}  [{found.code}]", err=True)
            detail = " · ".join(
                part for part in (found.pointer, "" if found.hint is UNSET else found.hint) if part
            )
            if detail:
                click.echo(f"  {'':7}  {'':8} {detail}", err=True)
    if printed:
        click.echo(severity_counts(printed), err=True)


_COLOURS = {"error": "red", "refusal": "magenta", "warning": "yellow", "info": "blue"}


def severity_counts(diagnostics: Iterable[Diagnostic]) -> str:
    counts: dict[str, int] = {}
    for found in diagnostics:
        counts[found.severity] = counts.get(found.severity, 0) + 1
    return (
        ", ".join(f"{n} {word}{'s' if n != 1 and word != 'info' else ''}" for word, n in counts.items())
        or "no problems"
    )


def build_report(built: Built) -> dict[str, Any]:
    """Return the JSON document that `--json` prints about a build."""
    return {
        "ok": not built.errors and not built.refusals,
        "packageId": built.package.spec.package_id if built.package else None,
        "version": built.package.spec.version if built.package else None,
        "buildContext": built.context,
        "digest": digest_in(built.data),
        "diagnostics": built.diagnostics,
        "reviews": review_states(built),
    }


class _BundleDigest(msgspec.Struct):
    digest: str | None = None


def digest_in(data: bytes) -> str | None:
    return msgspec.json.decode(data, type=_BundleDigest).digest if data else None


def exit_code(built: Built) -> int:
    if built.errors:
        return FAILED
    return REFUSED if built.refusals else DONE


def watch(folder: str | Path, act: Callable[[], None], stop: Any = None) -> None:
    """Call `act` now and after every change of a package file, until interrupted."""
    try:
        from watchfiles import watch as changes
    except ImportError:
        raise Unavailable("--watch needs the extra: pip install 'uiap[watch]'") from None
    act()
    for _ in changes(folder, stop_event=stop, raise_interrupt=False, watch_filter=_is_watched):
        act()


def _is_watched(_change: object, path: str) -> bool:
    return _is_package_file(Path(path).name) and not SKIPPED.intersection(Path(path).parts)
