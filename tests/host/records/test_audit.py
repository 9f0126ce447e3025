"""The audit chain reveals every later change."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import text

from tests.host.audit_kills import KEY, kill_once
from uiap.errors import Unavailable
from uiap.host.clock import SystemClock
from uiap.host.records import tables
from uiap.host.records.audit import (
    Audit,
    AuditVerification,
    check,
    entries,
    export,
    parse_head,
    read_export,
    verify,
)
from uiap.host.records.audit_chain import ORIGIN, load_key, record_hash
from uiap.host.records.store import Store, StoreFailed, sqlite_url
from uiap.host.records.writer import Writer

Links = list[tuple[int, bytes, bytes]]


def chain(count: int, key: bytes = KEY) -> Links:
    made, before = [], ORIGIN
    for seq in range(1, count + 1):
        body = b'{"kind":"decision","ts":"2026-03-26T14:00:00.000Z","handle":"act_%d"}' % seq
        before = record_hash(key, before, seq, body)
        made.append((seq, body, before))
    return made


def fill(store: Store, count: int) -> None:
    for _ in range(count):
        store.append([(tables.audit, {"body": b"{}"})])


def flipped(data: bytes, at: int, bit: int = 1) -> bytes:
    return data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]


def test_a_flipped_bit_is_detected_anywhere() -> None:
    links = chain(6)
    for n, (seq, body, hash) in enumerate(links):
        for at in range(len(body)):
            changed = [*links[:n], (seq, flipped(body, at), hash), *links[n + 1 :]]
            assert check(changed, KEY).first_broken == seq
        for at in range(len(hash)):
            changed = [*links[:n], (seq, body, flipped(hash, at, 128)), *links[n + 1 :]]
            assert check(changed, KEY).first_broken == seq


def test_removed_swapped_and_renumbered_records_are_detected() -> None:
    links = chain(8)
    for n in range(7):
        assert not check([*links[:n], *links[n + 1 :]], KEY).intact
        assert not check([*links[:n], links[n + 1], links[n], *links[n + 2 :]], KEY).intact
        closed = [*links[:n], *((seq - 1, body, hash) for seq, body, hash in links[n + 1 :])]
        assert not check(closed, KEY).intact
    assert check(links, KEY).intact


def test_a_chain_rebuilt_without_the_key_is_detected() -> None:
    assert not check(chain(3, key=b"another"), KEY).intact


def test_a_noted_head_detects_a_cut_off_or_replaced_chain() -> None:
    links = chain(5)
    head = [parse_head(f"5:{links[4][2].hex()}")]
    assert check(links, KEY, head).intact
    assert check([*links, *chain(6)[5:]], KEY, head).intact
    assert "records 5 to 5 are missing" in check(links[:4], KEY, head).problem
    assert not check([], KEY, head).intact
    with pytest.raises(ValueError, match="is not a head"):
        parse_head("nonsense")


def test_the_stored_head_detects_a_cut_off_chain(open_store: Callable[[], Store]) -> None:
    store = open_store()
    fill(store, 5)
    assert verify(store).intact
    for _ in range(2):
        with store._engine.begin() as connection:
            connection.execute(text("delete from audit where seq = (select max(seq) from audit)"))
        found = verify(store)
        assert not found.intact
        assert found.first_broken == found.records + 1


def test_many_writers_build_one_chain(open_store: Callable[[], Store]) -> None:
    stores = [open_store() for _ in range(3)]
    threads = [threading.Thread(target=fill, args=(store, 12)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    found = verify(stores[0])
    assert (found.records, found.intact) == (36, True)


def test_a_killed_writer_leaves_every_confirmed_record_in_the_chain(tmp_path: Path) -> None:
    url = sqlite_url(tmp_path / "a.sqlite3")
    promised = [kill_once(url, after) for after in (1, 7)]
    assert all(n >= after for n, after in zip(promised, (1, 7), strict=True))


def test_an_export_can_be_verified_and_a_damaged_line_is_not_skipped(
    open_store: Callable[[], Store], tmp_path: Path
) -> None:
    store = open_store()
    key = store.audit_key
    assert len(key) == 32, "also a chain on a server has a key that is not in it"
    fill(store, 4)
    lines = list(export(store))
    assert check(read_export(lines), key).intact
    assert check(read_export([*lines[:3], lines[3][:-9]]), key).first_broken == 4
    assert check(read_export([lines[0], lines[1][:40], *lines[2:]]), key).first_broken == 2
    assert not check(read_export([lines[0] + lines[1], *lines[2:]]), key).intact
    (file,) = tmp_path.glob("*.key")
    assert file.stat().st_mode & 0o077 == 0


def test_changes_in_the_database_itself_are_detected(
    open_store: Callable[[], Store],
) -> None:
    store = open_store()
    fill(store, 6)
    for change in (
        "update audit set body = :body where seq = 3",
        "update audit set hash = :body where seq = 5",
        "delete from audit where seq = 2",
        "update audit set seq = seq + 100 where seq > 3",
        "update audit_sealed_head set seq = 4",
    ):
        with store._engine.connect() as connection, connection.begin() as undone:
            values = {"body": b"other"} if ":body" in change else {}
            connection.execute(text(change), values)
            rows = connection.execute(text("select seq, body, hash from audit order by seq")).all()
            head = connection.execute(text("select seq from audit_sealed_head")).scalar_one()
            links = [(row[0], bytes(row[1]), bytes(row[2])) for row in rows]
            assert not check(links, store.audit_key).intact or head != len(links), change
            undone.rollback()
    assert verify(store).intact


async def test_an_action_that_cannot_be_audited_is_refused(tmp_path: Path) -> None:
    clock = SystemClock()
    store = Store(sqlite_url(tmp_path / "a.sqlite3"), audit_key=KEY)
    writer = Writer(store, lambda: clock.now().wall)
    audit = Audit(clock, writer)
    await asyncio.wait_for(audit.record_durably("decision", handle="act_1"), 10)
    writer.close()
    with pytest.raises(StoreFailed):
        await audit.record_durably("decision", handle="act_2")
    assert [entry.handle for _, entry in entries(store) if entry is not None] == ["act_1"]
    store.close()


def test_the_key_file_is_created_once_and_only_for_this_user(tmp_path: Path) -> None:
    file = tmp_path / "home" / "audit.key"
    key = load_key(file)
    assert load_key(file) == key
    assert len(key) == 32
    assert file.stat().st_mode & 0o077 == 0
    assert load_key(file, "given") == b"given"
    file.write_text("not hex")
    with pytest.raises(Unavailable, match="holds no audit key"):
        load_key(file)


# -- attacks on the database as a whole ---------------------------------------------------------------------


def sqlite_store(folder: Path) -> Store:
    return Store(sqlite_url(folder / "a.sqlite3"))


def written(folder: Path, count: int) -> None:
    store = sqlite_store(folder)
    store.append([(tables.audit, {"body": b"{}"})] * count)
    store.close()


def database(folder: Path) -> dict[str, bytes]:
    """Return the files that a copy of the store by its name contains, with the key."""
    return {file.name: file.read_bytes() for file in folder.glob("a.sqlite3*")}


def restore(folder: Path, files: dict[str, bytes]) -> None:
    for file in folder.glob("a.sqlite3*"):
        file.unlink()
    for name, data in files.items():
        (folder / name).write_bytes(data)


def execute(folder: Path, *statements: str, **values: object) -> None:
    store = sqlite_store(folder)
    with store._engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement), values if ":" in statement else {})
    store.close()


def sealed_head(folder: Path) -> dict[str, object]:
    store = sqlite_store(folder)
    head = store.audit_head()
    store.close()
    assert head is not None
    return head._asdict()


def verified(folder: Path) -> AuditVerification:
    store = sqlite_store(folder)
    found = verify(store)
    store.close()
    return found


def restore_older_copy(folder: Path) -> None:
    older = database(folder)
    written(folder, 4)
    restore(folder, older)


def delete_the_store(folder: Path) -> None:
    kept = (folder / "a.sqlite3.key").read_bytes()
    restore(folder, {"a.sqlite3.key": kept})


def cut_with_the_older_head(folder: Path) -> None:
    """Delete the last records, and write back the head that was valid before them."""
    head = sealed_head(folder)
    written(folder, 3)
    execute(
        folder,
        f"delete from audit where seq > {head['seq']}",
        "update audit_sealed_head set seq = :seq, hash = :hash, seal = :seal",
        **head,
    )


def cut_with_an_unsealed_head(folder: Path) -> None:
    last = "(select hash from audit where seq = 3)"
    execute(folder, "delete from audit where seq > 3", f"update audit_sealed_head set seq = 3, hash = {last}")


def remove_the_head(folder: Path) -> None:
    execute(folder, "delete from audit_sealed_head")


def cut_and_remove_the_head(folder: Path) -> None:
    execute(folder, "delete from audit where seq > 3", "delete from audit_sealed_head")


def delete_everything(folder: Path) -> None:
    execute(folder, "delete from audit", "delete from audit_sealed_head")


def swap_the_head(folder: Path) -> None:
    head = sealed_head(folder)
    written(folder, 2)
    execute(folder, "update audit_sealed_head set seq = :seq, hash = :hash, seal = :seal", **head)


def delete_one_record(folder: Path) -> None:
    execute(folder, "delete from audit where seq = 2")


def swap_the_key(folder: Path) -> None:
    (folder / "a.sqlite3.key").write_text("11" * 32)


def remove_the_key(folder: Path) -> None:
    (folder / "a.sqlite3.key").unlink()


def remove_the_mark_and_cut(folder: Path) -> None:
    cut_with_the_older_head(folder)
    (folder / ".a.sqlite3.mark").unlink()


def forge_the_mark_and_cut(folder: Path) -> None:
    cut_with_the_older_head(folder)
    mark = folder / ".a.sqlite3.mark"
    mark.write_text(mark.read_text().replace("0000000008", "0000000005"))


def link_the_mark_elsewhere(folder: Path) -> None:
    older = folder / "older"
    older.write_bytes((folder / ".a.sqlite3.mark").read_bytes())
    cut_with_the_older_head(folder)
    (folder / ".a.sqlite3.mark").unlink()
    (folder / ".a.sqlite3.mark").symlink_to(older)


ATTACKS = [
    restore_older_copy,
    delete_the_store,
    cut_with_the_older_head,
    cut_with_an_unsealed_head,
    remove_the_head,
    cut_and_remove_the_head,
    delete_everything,
    swap_the_head,
    delete_one_record,
    swap_the_key,
    remove_the_key,
    remove_the_mark_and_cut,
    forge_the_mark_and_cut,
    link_the_mark_elsewhere,
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_an_attack_on_the_store_is_detected_and_cannot_be_written_over(
    tmp_path: Path, attack: Callable[[Path], None]
) -> None:
    written(tmp_path, 5)
    assert verified(tmp_path).intact
    attack(tmp_path)
    assert not verified(tmp_path).intact
    with suppress(StoreFailed):  # a link in place of the mark is refused
        written(tmp_path, 12)
    assert not verified(tmp_path).intact, "more records do not hide it"


def test_a_cut_chain_is_continued_and_says_which_records_are_missing(tmp_path: Path) -> None:
    written(tmp_path, 5)
    restore_older_copy(tmp_path)
    written(tmp_path, 1)
    found = verified(tmp_path)
    assert (found.first_broken, found.records) == (6, 7)
    assert "records 6 to 9 are missing" in found.problem
    store = sqlite_store(tmp_path)
    assert [entry.kind for _, entry in entries(store) if entry is not None] == ["cut"]
    store.close()


def test_a_head_noted_elsewhere_stands_in_for_a_missing_mark(tmp_path: Path) -> None:
    written(tmp_path, 3)
    (tmp_path / ".a.sqlite3.mark").unlink()
    store = sqlite_store(tmp_path)
    head = store.audit_head()
    assert head is not None
    assert "is missing" in verify(store).problem
    assert verify(store, heads=[parse_head(f"3:{head.hash.hex()}")]).intact
    store.close()


def test_a_store_can_be_verified_while_it_is_written(tmp_path: Path) -> None:
    store, other = sqlite_store(tmp_path), sqlite_store(tmp_path)
    fill(store, 1)
    writing = threading.Thread(target=fill, args=(other, 15))
    writing.start()
    found = []
    while writing.is_alive():
        found.append(verify(store))
    writing.join(60)
    assert [one for one in found if not one.intact] == []
    assert verify(store).records == 16
    store.close()
    other.close()
