"""Packages and a command runner for the tests of the authoring commands."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from tests.authoring.folders import PACKAGES, action, manifest, package
from uiap.errors import UiapError

EXAMPLE, SHARED = PACKAGES / "videoland-example", PACKAGES / "shared-base"


class Ran:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


def run(command: click.Command, *arguments: str | Path) -> Ran:
    result = CliRunner().invoke(command, [str(a) for a in arguments], standalone_mode=False)
    if isinstance(result.exception, UiapError):
        code = 3 if result.exception.code == "forbidden" else 1
        return Ran(code, result.stdout, result.exception.message)
    if isinstance(result.exception, click.UsageError):
        return Ran(2, result.stdout, str(result.exception))
    if result.exception is not None:
        raise result.exception
    return Ran(result.return_value or 0, result.stdout, result.stderr)


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def shop(root: Path, version: str = "1.0.0", *actions: dict[str, Any], **spec: Any) -> Path:
    acts = manifest("Actions", "acts", {"actions": list(actions) or [action("cart.save")]})
    publishing = spec.pop(
        "publish",
        {"channels": [{"name": "prod", "requiredReviewState": "approved", "forbidGeneratedOnly": True}]},
    )
    return write(root / f"v{version}", package(acts, version=version, publish=publishing, **spec))
