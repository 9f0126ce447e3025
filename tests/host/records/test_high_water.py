"""The high-water mark only rises, and only the holder of the key can write it."""

from __future__ import annotations

import threading
from pathlib import Path

from uiap.host.records.high_water import Forged, HighWaterMark, Mark

KEY = b"key"


def mark(seq: int) -> Mark:
    return Mark(seq, bytes([seq]) * 32)


def test_the_mark_only_rises(tmp_path: Path) -> None:
    file = HighWaterMark(tmp_path / "m")
    assert file.read(KEY) is None
    for seq in (3, 5, 4, 1):
        file.rise(mark(seq), KEY)
    assert file.read(KEY) == mark(5)
    file.rise(mark(2), KEY, replace=True)
    assert file.read(KEY) == mark(2)
    assert file.file.stat().st_mode & 0o077 == 0


def test_a_mark_of_another_key_or_behind_a_link_is_forged(tmp_path: Path) -> None:
    file = HighWaterMark(tmp_path / "m")
    file.rise(mark(3), b"another key")
    assert file.read(KEY) == Forged(file.file)
    for content in ("", "x", "1:2:3", "9" * 400):
        file.file.write_text(content)
        assert file.read(KEY) == Forged(file.file)
    link = HighWaterMark(tmp_path / "link")
    link.file.symlink_to(file.file)
    assert isinstance(link.read(KEY), Forged)


def test_many_writers_leave_the_highest_mark(tmp_path: Path) -> None:
    file = HighWaterMark(tmp_path / "m")
    threads = [threading.Thread(target=file.rise, args=(mark(seq), KEY)) for seq in range(1, 40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert file.read(KEY) == mark(39)
