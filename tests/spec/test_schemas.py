"""The committed schemas are the ones the types say, and the generator notices when they are not."""

import json
from pathlib import Path

import pytest

from tools import schemas
from uiap.spec.messages import MESSAGES


def test_the_committed_schemas_are_fresh() -> None:
    assert schemas.stale(schemas.render()) == []


def test_rendering_twice_gives_the_same_bytes() -> None:
    assert schemas.render() == schemas.render()


def test_every_reference_resolves() -> None:
    files = {name: json.loads(text) for name, text in schemas.render().items()}
    for name, body in files.items():
        for ref in references(body):
            file, _, pointer = ref.partition("#/$defs/")
            assert pointer in files[file or name]["$defs"], ref
    assert set(files["messages.json"]["messages"]) == set(MESSAGES)


def references(value: object) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for item in value.values() for ref in references(item)]
    return [ref for item in value for ref in references(item)] if isinstance(value, list) else []


def test_a_stale_schema_is_refused_with_a_sentence_and_a_diff(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(schemas, "OUT", tmp_path)
    assert schemas.main([]) == 0
    assert schemas.main(["--check"]) == 0
    path = tmp_path / "text.json"
    path.write_text(path.read_text(encoding="utf-8").replace("fallback", "fallforward"), encoding="utf-8")
    (tmp_path / "gone.json").write_text("{}", encoding="utf-8")
    assert schemas.main(["--check"]) == 1
    said = capsys.readouterr().out
    assert "run `make schema`" in said
    assert "gone.json" in said
    assert "fallforward" in said
