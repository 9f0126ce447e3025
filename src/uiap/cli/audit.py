"""`uiap audit`: show, verify and export the audit log: decisions, who made them, and their outcomes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click
from msgspec import UNSET

from uiap import settings
from uiap.cli.output import json_option, print_json
from uiap.errors import Unavailable
from uiap.host.records import audit
from uiap.host.records.anchors import read_anchors
from uiap.host.records.store import Store, sqlite_url

store_argument = click.argument("store", required=False, metavar="[STORE]")


@click.group(
    help="Show, verify and export the audit log: decisions, who made them, and their outcomes. Its records form a hash "
    "chain, so every later change is detected."
)
def command() -> None:
    pass


@command.command(
    short_help="Verify the hash chain.",
    help="Verify every record of the chain in STORE: a file, a URL, or an export that ends in .jsonl.",
)
@store_argument
@click.option("--head", metavar="SEQ:HASH", help="A head you recorded elsewhere; the chain must contain it.")
@click.option(
    "--anchors",
    type=click.Path(exists=True, dir_okay=False),
    metavar="FILE",
    help="Published heads (UIAP_AUDIT_ANCHOR) of this store, one per line; the chain must contain all of them.",
)
@click.option(
    "--key", type=click.Path(dir_okay=False), help="The key file of the store, to verify an export."
)
@json_option
def verify(store: str | None, head: str | None, anchors: str | None, key: str | None, as_json: bool) -> int:
    try:
        found = _verify(store, _heads(head, anchors), key)
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if as_json:
        print_json({**found._asdict(), "intact": found.intact})
    elif found.intact:
        click.echo(f"intact: {found.records} records, head {found.records}:{found.head}")
    else:
        click.echo(f"broken at record {found.first_broken}: {found.problem}", err=True)
    return 0 if found.intact else 1


def _heads(head: str | None, anchors: str | None) -> list[audit.NotedHead]:
    noted = [] if head is None else [audit.parse_head(head)]
    if anchors is not None:
        with Path(anchors).open(encoding="utf-8", errors="replace") as lines:
            published = list(read_anchors(lines))
        noted += [audit.NotedHead(one.seq, bytes.fromhex(one.hash), "a published head") for one in published]
    return noted


def _verify(store: str | None, heads: list[audit.NotedHead], key: str | None) -> audit.AuditVerification:
    given = bytes.fromhex(Path(key).read_text().strip()) if key else None
    if store is not None and store.endswith(".jsonl"):
        with Path(store).open(encoding="utf-8", errors="replace") as lines:
            return audit.check(audit.read_export(lines), given or b"", heads)
    with open_store(store, given) as opened:
        return audit.verify(opened, heads=heads)


@command.command(
    short_help="Write one JSON line per record.",
    help="Write one JSON line per record to FILE or standard output; `uiap audit verify FILE` verifies it.",
)
@store_argument
@click.option("--out", type=click.Path(dir_okay=False), metavar="FILE.jsonl", help="Write to this file.")
def export(store: str | None, out: str | None) -> int:
    with open_store(store) as opened:
        if out is None:
            for line in audit.export(opened):
                click.echo(line)
            return 0
        with Path(out).open("w", encoding="utf-8") as file:
            count = sum(1 for line in audit.export(opened) if file.write(line + "\n"))
    click.echo(f"written: {out} ({count} records)")
    return 0


@command.command(
    help="Print the number and hash of the last record. Record it elsewhere: `verify --head` detects a shortened chain."
)
@store_argument
def head(store: str | None) -> int:
    with open_store(store) as opened:
        last = opened.audit_head()
    if last is None:
        raise Unavailable("there are no audit records yet; act in a session first")
    click.echo(f"{last.seq}:{last.hash.hex()}")
    return 0


@command.command(help="Print the records, oldest first.")
@store_argument
@click.option("--session", metavar="ID", help="Only records of this session.")
@click.option("--action", metavar="HANDLE", help="Only records of this action.")
@click.option("--last", type=int, metavar="N", help="Only the last N records.")
@json_option
def show(store: str | None, session: str | None, action: str | None, last: int | None, as_json: bool) -> int:
    with open_store(store) as opened:
        found = [
            (seq, entry)
            for seq, entry in audit.entries(opened)
            if entry is None or (session in (None, entry.session) and action in (None, entry.handle))
        ]
    found = found[-last:] if last else found
    if as_json:
        print_json([{"seq": seq, "entry": entry} for seq, entry in found])
        return 0
    for seq, entry in found:
        click.echo(f"{seq:6} unreadable" if entry is None else _entry_line(seq, entry))
    return 0


def _entry_line(seq: int, entry: audit.AuditEntry) -> str:
    record = entry.record
    words = [f"{seq:6} {entry.ts[:19].replace('T', ' ')} {entry.kind:14}"]
    if record is not UNSET:
        words += [f"{record.principal.type} {record.principal.id}:", str(record.action_id or "")]
        if record.target is not UNSET:
            words.append(_target_name(record.target))
        if record.outcome is not UNSET:
            words.append(f"→ {record.outcome}, side effect {record.side_effect_state or 'unknown'}")
        else:
            words.append(f"→ {record.decision.effect} ({record.decision.reason}: {record.decision.message})")
    else:
        words += [f"by {entry.by}" if entry.by else "", entry.reason]
    return " ".join(word for word in words if word)


def _target_name(ref: object) -> str:
    name = getattr(ref, "name", None) or getattr(ref, "value", None)
    return f"“{name}”" if isinstance(name, str) else ""


@contextmanager
def open_store(store: str | None, key: bytes | None = None) -> Iterator[Store]:
    url = settings.read().store_url if store is None else store if "://" in store else sqlite_url(Path(store))
    opened = Store(url, create=False, audit_key=key)
    try:
        yield opened
    finally:
        opened.close()
