"""The types have exactly the members that the documents' interfaces print, mandatory where they are mandatory."""

import importlib
import re
from collections.abc import Iterator
from typing import Literal, get_args, get_origin

import pytest

from tests.spec import shared
from tests.spec.samples import MODULES, described, required, spec_types

DOCUMENTS = ("seed-000", "seed-002", "seed-003", "seed-004", "companions")
TYPES = {of.__name__: of for of in spec_types()}

# Printed, but not a shape of ours: the client-side interfaces of the SDK, the suite's own types, and generic ones.
NOT_OURS = {
    "UIAPConfig", "UIAPClient", "UIAPClientRest", "UIAPClientEvents", "UIAPTransport", "ActionHandlerContext",
    "ActionHandlerResult", "ObserveConfig", "SDKPolicyConfig", "OverlayConfig", "FrameConfig", "AnnotationConfig",
    "RouteProvider", "ElementAdapter", "ConformanceClaim", "ConformanceCase", "ConformanceReport",
    "EntityRef", "EntityField", "EntitySchema", "WorkflowStepBase", "UIAPAuthoringDocument", "NodeDelta",
    "LocaleMessage",
}  # fmt: skip
# Members we add on purpose; each is explained in docs/spec-notes.md.
ADDED = {"CapabilitiesListPayload": {"revision", "document"}}


def interfaces(source: str) -> Iterator[tuple[str, str, str]]:
    """Name, parent and body of each printed interface."""
    for found in re.finditer(r"interface (\w+)(?:<[^{]*?>)?(?: extends (\w+))?\s*\{", source):
        yield found[1], found[2] or "", shared.balanced(source, found.end() - 1)[1:-1]


def outer(body: str) -> str:
    """The body without what stands inside inner braces."""
    depth, kept = 0, []
    for letter in body:
        depth -= letter == "}"
        if depth == 0 and letter not in "{}":
            kept.append(letter)
        depth += letter == "{"
    return "".join(kept)


def printed_members(body: str, *, has_lines: bool) -> dict[str, bool]:
    """Member -> is it mandatory. Where line breaks were lost, a comment runs into the member after it."""
    plain = outer(re.sub(r"//[^\n]*", "", body) if has_lines else body)
    return {name: not mark for name, mark in re.findall(r"(?<![\w.\"])([a-z]\w*)(\??):\s", plain)}


def printed() -> dict[str, dict[str, bool]]:
    """Every printed interface with its members, the inherited ones included."""
    shapes: dict[str, dict[str, bool]] = {}
    for document in DOCUMENTS:
        for name, parent, body in interfaces(shared.text(document)):
            own = printed_members(body, has_lines=document == "companions")
            shapes[name] = {**shapes.get(parent, {}), **own}
    return {name: members for name, members in shapes.items() if name not in NOT_OURS}


@shared.needs_texts
def test_every_printed_interface_has_a_type() -> None:
    assert set(printed()) - set(TYPES) == set()


@shared.needs_texts
@pytest.mark.requirement("CAP-5", "CAP-7", "CAP-10", "ACT-5.1c", "ACT-5.8", "ACT-6.1", "ACT-6.2", "ACT-6.3")
@pytest.mark.requirement("DISC-6", "AUTH-3")
def test_types_have_the_printed_members() -> None:
    shapes = printed()
    assert len(shapes) > 150
    for name, members in shapes.items():
        info = described(TYPES[name])
        tag = {info.tag_field} if info.tag_field else set()
        ours = {field.encode_name for field in info.fields} | tag
        assert ours - ADDED.get(name, set()) == set(members), name
        assert set(required(TYPES[name])) | tag == {member for member, must in members.items() if must}, name


def printed_words() -> dict[str, set[str]]:
    """Every printed union of quoted words, with its words."""
    words: dict[str, set[str]] = {}
    for document in DOCUMENTS:
        source = re.sub(r"//[^\n]*(?=\n)", "", shared.text(document))
        for found in re.finditer(r'type (\w+)\s*=((?:\s*\|?\s*"[^"]+")+)\s*;', source):
            words[found[1]] = set(re.findall(r'"([^"]+)"', found[2]))
    return words


# Open vocabularies, single words, and the suite's and the bindings' own.
OTHER_WORDS = {
    "DataClass",
    "ExtensionId",
    "ExtensionVersion",
    "ConformanceRole",
    "CaseVerdict",
    "RecordAccess",
}
OTHER_WORDS |= {"BindingId"}


@shared.needs_texts
@pytest.mark.requirement("CAP-4", "CAP-6", "CAP-7", "CAP-8.1", "ACT-6.4", "DISC-7", "AUTH-3")
def test_vocabularies_have_the_printed_words() -> None:
    printed_unions = {name: words for name, words in printed_words().items() if name not in OTHER_WORDS}
    ours = {name: set(get_args(alias)) for name, alias in vocabularies()}
    assert {"UIRole", "UIAffordance", "PrimitiveActionType", "RiskTag", "RuntimeErrorCode"} <= set(
        printed_unions
    )
    assert {name: ours.get(name) for name in printed_unions} == printed_unions


def vocabularies() -> Iterator[tuple[str, object]]:
    for name in MODULES:
        module = importlib.import_module(f"uiap.spec.{name}")
        for word, value in vars(module).items():
            if get_origin(value) is Literal:
                yield word, value
