"""Every member of a compiled bundle has a row in the documentation that names a consumer which reads it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec
import pytest

from uiap.spec import authoring
from uiap.spec.authoring import UIAPCompiledBundle
from uiap.spec.capability import CapabilityDocument

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "spec" / "bundle.md").read_text("utf-8")
OWN = {one for one in vars(authoring).values() if isinstance(one, type)} | {CapabilityDocument}
NO_CONSUMER = ("read by people", "at build:", "none:")


def types_of(kind: Any) -> Iterator[type[msgspec.Struct]]:
    """Yield the structs of this specification inside a type."""
    if isinstance(kind, type) and kind in OWN and issubclass(kind, msgspec.Struct):
        yield kind
    for inner in get_args(kind):
        yield from types_of(inner)


def reachable() -> list[type[msgspec.Struct]]:
    found: dict[type[msgspec.Struct], None] = {}
    waiting: list[type[msgspec.Struct]] = [UIAPCompiledBundle]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting += [inner for kind in get_type_hints(one).values() for inner in types_of(kind)]
    return list(found)


def rows() -> dict[tuple[str, str], str]:
    """Return the consumer column of each type and member."""
    found: dict[tuple[str, str], str] = {}
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not line.startswith("| `"):
            continue
        before, colon, after = cells[0].rpartition(": ")
        for kind in re.findall(r"`(\w+)`", before) if colon else ["UIAPCompiledBundle"]:
            for member in re.findall(r"`(\w+)`", after if colon else cells[0]):
                found[kind, member] = cells[-1]
    return found


@pytest.mark.requirement("RUN-2")
def test_every_member_of_a_bundle_is_documented_with_its_consumer_and_no_other() -> None:
    wanted = {(one.__name__, name) for one in reachable() for name in one.__struct_encode_fields__}
    assert len(wanted) > 80
    assert set(rows()) == wanted


@pytest.mark.requirement("RUN-2")
@pytest.mark.parametrize(("kind", "member"), rows())
def test_the_named_consumer_reads_the_member(kind: str, member: str) -> None:
    consumer = rows()[kind, member]
    files = re.findall(r"`([\w/]+\.py)`", consumer)
    assert files or consumer.startswith(NO_CONSUMER), f"{kind}.{member} has no consumer"
    name = re.sub(r"(?<=[a-z])([A-Z])", r"_\1", member).lower()
    words = {name, member}
    for file in files:
        text = (ROOT / "src" / "uiap" / file).read_text("utf-8")
        assert any(re.search(rf"\b{word}\b", text) for word in words), f"{file} does not read {kind}.{member}"
