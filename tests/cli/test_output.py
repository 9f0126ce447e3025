"""Options that several commands share: allowed addresses and bundles."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from uiap.cli.output import allowed_addresses, load_bundle_option, print_json


@pytest.mark.parametrize(
    ("public_only", "shared", "allowed"),
    [
        (False, False, ("localhost", "10.0.0.0/8")),
        (True, False, ("10.0.0.0/8",)),
        (False, True, ("10.0.0.0/8",)),
        (True, True, ("10.0.0.0/8",)),
    ],
)
def test_this_machine_is_allowed_only_while_nobody_else_can_connect(
    public_only: bool, shared: bool, allowed: tuple[str, ...]
) -> None:
    assert allowed_addresses(("10.0.0.0/8",), public_only, shared=shared) == allowed


def test_a_key_without_a_bundle_is_refused(tmp_path: Path) -> None:
    assert load_bundle_option(None, (), False, (), tmp_path) is None
    with pytest.raises(click.UsageError, match="--trust names the key of a bundle; add --bundle"):
        load_bundle_option(None, ("key",), False, (), tmp_path)


def test_json_is_printed_with_two_spaces_and_a_line_end(capsys: pytest.CaptureFixture[str]) -> None:
    print_json({"name": "ä", "items": [1]})
    assert capsys.readouterr().out == '{\n  "name": "ä",\n  "items": [\n    1\n  ]\n}\n'
