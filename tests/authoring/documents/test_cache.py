"""Documents cached between commands: same results, and no entries from other accounts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.authoring.folders import NOW, action, manifest, package, text
from uiap.authoring.documents.cache import pack, unpack
from uiap.authoring.documents.document import Loaded
from uiap.authoring.kinds.kind import DocumentFacts
from uiap.cli.authoring import BuildOptions, run_build
from uiap.cli.cache import FOLDER, DocumentCache
from uiap.spec.authoring import BuildContext

SECRET, OTHER = bytes(32), bytes(31) + b"\1"


@pytest.fixture(autouse=True)
def _own_cache() -> None:
    """Use the normal cache folder, because these packages belong to the test."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "uiap"
    root.mkdir()
    named = {"ref": "a.b", "fallback": "B"}
    elements = [
        {"id": f"e{n}", "role": "button", "name": named, "match": [{"by": "text", "text": "x"}]}
        for n in range(3)
    ]
    files = package(
        manifest("Bindings", "b", {"elements": elements}),
        manifest("Actions", "a", {"actions": [action("save")]}),
    )
    for name, content in files.items():
        (root / name).write_text(content)
    return root


class Counting(DocumentCache):
    """Counts the documents that were not in the cache."""

    fresh = 0

    def __setitem__(self, key: bytes, loaded: Loaded) -> None:
        self.fresh += 1
        super().__setitem__(key, loaded)


def run(folder: Path, *, keep: bool = True) -> tuple[bytes, int]:
    cache = Counting(folder, folder.parent / "home")
    built = run_build(folder, BuildOptions(BuildContext(), at=NOW), cache)
    if keep:
        cache.save()
    assert built.data, [str(d) for d in built.diagnostics]
    return built.data, cache.fresh


def test_a_second_run_uses_only_the_cache_and_gives_the_same_bytes(folder: Path) -> None:
    first, fresh = run(folder)
    assert fresh == 4
    assert run(folder) == (first, 0)
    plain = run_build(folder, BuildOptions(BuildContext(), at=NOW))
    cached = run_build(
        folder, BuildOptions(BuildContext(), at=NOW), DocumentCache(folder, folder.parent / "home")
    )
    assert (plain.diagnostics, plain.data) == (cached.diagnostics, cached.data)


def test_after_one_edit_only_that_file_is_read_again(folder: Path) -> None:
    before, _ = run(folder)
    (folder / "a.uiap.yaml").write_text(text(manifest("Actions", "a", {"actions": [action("open")]})))
    after, fresh = run(folder)
    assert fresh == 1 and after != before
    assert run(folder) == (after, 0)


def test_unused_cache_entries_are_removed(folder: Path) -> None:
    run(folder)
    sizes = []
    for number in range(20):
        (folder / "a.uiap.yaml").write_text(
            text(manifest("Actions", "a", {"actions": [action(f"v{number}")]}))
        )
        run(folder)
        sizes.append((folder / FOLDER / "documents").stat().st_size)
    assert max(sizes[10:]) <= max(sizes[:10]) * 1.1


def test_a_faulty_file_is_read_again_each_time(folder: Path) -> None:
    (folder / "a.uiap.yaml").write_text("a: *b\n")
    for _ in range(2):
        cache = Counting(folder, folder.parent / "home")
        assert run_build(folder, BuildOptions(BuildContext(), at=NOW), cache).errors
        cache.save()
    assert cache.fresh == 1


def tampered_caches(cache: Path) -> dict[str, Any]:
    data = cache.read_bytes()
    return {
        "one byte changed": data[:-1] + bytes([data[-1] ^ 1]),
        "cut short": data[:-10],
        "a segment with another key": data
        + pack([(b"k" * 32, Loaded({"kind": "App"}, DocumentFacts(), ()))], OTHER),
        "no segment": b"\xff" * 100,
        "a length that lies": (2**63).to_bytes(8, "little") + data[8:],
        "a pickle": b"\x80\x04cposix\nsystem\n(S'true'\ntR.",
    }


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    "name",
    [
        "one byte changed",
        "cut short",
        "a segment with another key",
        "no segment",
        "a length that lies",
        "a pickle",
    ],
)
def test_a_cache_that_this_account_did_not_write_is_not_used(folder: Path, name: str) -> None:
    first, _ = run(folder)
    cache = folder / FOLDER / "documents"
    cache.write_bytes(tampered_caches(cache)[name])
    assert run(folder) == (first, 4)
    assert run(folder) == (first, 0)


@pytest.mark.requirement("AUTH-SEC.1")
def test_a_cache_from_another_account_is_not_used(folder: Path) -> None:
    first, _ = run(folder)
    (folder.parent / "home" / "cache.key").unlink()
    assert run(folder) == (first, 4)


def test_the_cache_is_private_and_stays_out_of_version_control(folder: Path) -> None:
    run(folder)
    assert (folder / FOLDER / "documents").stat().st_mode & 0o777 == 0o600
    assert (folder.parent / "home" / "cache.key").stat().st_mode & 0o777 == 0o600
    assert (folder / FOLDER / ".gitignore").read_text() == "*\n"


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="needs links")
def test_a_link_in_place_of_the_cache_is_not_followed(folder: Path, tmp_path: Path) -> None:
    run(folder)
    cache = folder / FOLDER / "documents"
    elsewhere = tmp_path / "elsewhere"
    cache.rename(elsewhere)
    cache.symlink_to(elsewhere)
    before = elsewhere.read_bytes()
    assert run(folder)[1] == 4
    assert elsewhere.read_bytes() == before and not cache.is_symlink()


def test_a_later_segment_overrides_an_earlier_one() -> None:
    old, new = (Loaded({"n": n}, DocumentFacts(ids={"s": {"x": 0, "y": 1}}), ()) for n in (1, 2))
    data = pack([(b"a", old), (b"b", old)], SECRET) + pack([(b"a", new)], SECRET)
    found = unpack(data, SECRET)
    assert found is not None
    assert [found[key].document for key in (b"a", b"b")] == [{"n": 2}, {"n": 1}]
    assert found[b"a"].facts.ids == {"s": {"x": 0, "y": 1}}
    assert unpack(data, OTHER) is None
    assert unpack(b"", SECRET) == {}
