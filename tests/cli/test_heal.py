"""`uiap heal`: the files it reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from uiap.cli import heal
from uiap.errors import Unavailable


@pytest.mark.parametrize("text", ["", "{}", "[{}]", "not json"])
def test_a_file_that_is_no_trace_is_refused_with_the_command_that_writes_one(
    tmp_path: Path, text: str
) -> None:
    file = tmp_path / "trace.json"
    file.write_text(text)
    with pytest.raises(Unavailable, match="uiap trace show --json"):
        heal.read_traces(file)


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trace.json"
    file.write_text("[]          ")
    assert heal.read_traces(file) == ()
    monkeypatch.setattr(heal, "MAX_BYTES", 5)
    with pytest.raises(Unavailable, match="larger than 5 bytes"):
        heal.read_traces(file)
