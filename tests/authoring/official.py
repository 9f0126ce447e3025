"""Official test suites for YAML, JSON Patch, version ranges and Ed25519.

Every case agrees, is refused for a documented reason, or is wrong. `wrong` must stay empty.
"""

from __future__ import annotations

import ast
import copy
import json
import re
from collections import Counter
from collections.abc import Callable
from typing import Any

import msgspec

from uiap.authoring.documents.source import read
from uiap.authoring.patch import BadPatch, apply, json_equal
from uiap.authoring.pointer import BadPointer, get, parse
from uiap.authoring.versions import BadVersion, parse_range, parse_version, satisfies
from uiap.spec.authoring import ManifestPatch

Figures = dict[str, Any]
Texts = Callable[[str, str], dict[str, str]]

# Valid YAML that a manifest may not contain (AUTH-SEC.1), refused with these codes.
REFUSED_YAML = {
    "yaml_anchor": "anchors",
    "yaml_alias": "aliases",
    "yaml_tag": "tags",
    "yaml_directive": "directives",
    "yaml_documents": "several documents",
    "yaml_merge_key": "merge keys",
    "key_not_text": "keys that are not text",
    "duplicate_key": "duplicate keys",
    "number_range": "numbers that JSON cannot represent",
    "yaml_ambiguous": "texts that YAML parsers read differently",
    "yaml_syntax": "syntax our parser does not know",
}
# Layout the suite calls invalid and our parser forgives; the value is the same to every reader that takes it.
LENIENT = {
    "9C9N": "a flow list whose lines are not indented",
    "DK95": "a tab that begins the next line of a quote",
    "QB6E": "a quote whose lines are not indented",
    "S98Z": "spaces before an empty block of text",
    "Y79Y": "a tab that begins a line inside brackets",
}


def figures(total: int, seen: Counter[str], wrong: list[str]) -> Figures:
    return {
        "cases": total,
        **dict(sorted(seen.items())),
        "wrong": len(wrong),
        "which": "; ".join(wrong[:20]) or "none",
    }


# -- YAML -------------------------------------------------------------------------------------------------------


def yaml_suite(texts: Texts) -> Figures:
    """Check that invalid text is refused, and valid text parsed as the suite says or refused for a known reason."""
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    total = 0
    for name, body in sorted(texts("yaml", ".js").items()):
        if not name.startswith("data/") or "export default" not in body:
            continue
        case_file = json.loads(body[body.index("{") : body.rindex("}") + 1])
        for number, case in enumerate(case_file["cases"]):
            total += 1
            verdict = _yaml_case(case_file["id"], case)
            if verdict.startswith("wrong"):
                wrong.append(f"{case_file['id']}/{number}: {verdict}")
            else:
                seen[verdict] += 1
    return figures(total, seen, wrong)


def _yaml_case(id: str, case: dict[str, Any]) -> str:
    got = read("x.uiap.yaml", case["yaml"])
    if case.get("fail") and not got.faults:
        return f"forgiven: {LENIENT[id]}" if id in LENIENT else "wrong: invalid text was read"
    if case.get("fail"):
        return "invalid, refused"
    if got.faults:
        reason = REFUSED_YAML.get(got.faults[0].code)
        return f"refused: {reason}" if reason else f"wrong: {got.faults[0].code} {got.faults[0].message}"
    expected = case.get("json")
    if expected is None:
        return "read, the suite gives no value"
    try:
        wanted = json.loads(expected) if expected.strip() else None
    except ValueError:
        return "wrong: several values, one was read"
    return "read as the suite says" if json_equal(got.value, wanted) else f"wrong: read as {got.value!r}"


# -- JSON Pointer and Patch -------------------------------------------------------------------------------------


def patch_suite(texts: Texts) -> Figures:
    """Check `test`, `replace` and `remove`; other operations of RFC 6902 have another meaning here."""
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    cases = [case for body in texts("json-patch", "tests.json").values() for case in json.loads(body)]
    cases = [case for case in cases if "patch" in case and not case.get("disabled")]
    for number, case in enumerate(cases):
        ops = {step.get("op") for step in case["patch"]}
        if not ops <= {"test", "replace", "remove"}:
            seen["uses operations that are not ours"] += 1
            continue
        verdict = _patch_case(case)
        if verdict.startswith("wrong"):
            wrong.append(f"{number} {case.get('comment', '')}: {verdict}")
        else:
            seen[verdict] += 1
    return figures(len(cases), seen, wrong)


def _patch_case(case: dict[str, Any]) -> str:
    document = copy.deepcopy(case["doc"])
    try:
        for step in case["patch"]:
            document = _stepped(document, step)
    except (BadPatch, BadPointer, AssertionError, msgspec.ValidationError) as error:
        return "refused, as the suite says" if "error" in case else f"wrong: refused: {error}"
    if "error" in case:
        return "wrong: accepted what the suite refuses"
    if "expected" in case and not json_equal(document, case["expected"]):
        return "wrong: another result"
    return "done, as the suite says"


def _stepped(document: Any, step: dict[str, Any]) -> Any:
    if step["op"] == "test":
        assert "value" in step and isinstance(step.get("path"), str)
        assert json_equal(get(document, parse(step["path"])), step["value"]), "the test failed"
        return document
    return apply(document, msgspec.convert({"manifestId": "x", **step}, ManifestPatch))


# -- versions ---------------------------------------------------------------------------------------------------

# Ranges that the specification reads differently, or does not have.
DIFFERENT_RANGES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("hyphen ranges are not supported", re.compile(r"\S\s+-\s+\S")),
    ("`~>` is not supported", re.compile(r"~>")),
    ("an empty range is an error", re.compile(r"^\s*$|\|\|\s*$|^\s*\|\||\|\|\s*\|\|")),
    ("missing parts count as 0", re.compile(r"(?:^|[\s<>=^~|v])\d+(?:\.\d+)?(?=\s|$|\|)")),
    ("`^0.0.z` moves with the minor number", re.compile(r"\^\s*v?0\.0\.")),
)


def semver_suite(texts: Texts) -> Figures:
    (body,) = [text for name, text in texts("semver", "index.js").items() if name == "test/index.js"]
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    total = 0
    for title, admitted in (("range tests", True), ("negative range tests", False)):
        for row in _table(body, title):
            total += 1
            verdict = _range_case(row[0], row[1], admitted, loose=len(row) > 2)
            if verdict.startswith("wrong"):
                wrong.append(f"`{row[0]}` {row[1]}: {verdict}")
            else:
                seen[verdict] += 1
    for row in _table(body, "comparison tests"):
        total += 1
        verdict = _order_case(*row[:2], loose=len(row) > 2)
        if verdict.startswith("wrong"):
            wrong.append(f"{row[0]} > {row[1]}: {verdict}")
        else:
            seen[verdict] += 1
    return figures(total, seen, wrong)


def _table(body: str, title: str) -> list[list[str]]:
    """Return the array literal at the beginning of a test of the suite."""
    start = body.index("[[", body.index(f"test('\\n{title}'"))
    literal = body[start : body.index("].forEach", start) + 1]
    literal = (
        re.sub(r"(?m)(?:^|(?<=[,\]]))\s*//.*$", "", literal).replace("true", "True").replace("false", "False")
    )
    rows: list[list[str]] = ast.literal_eval(literal)
    return rows


def _range_case(wanted: str, version: str, admitted: bool, *, loose: bool) -> str:
    try:
        answer = satisfies(parse_version(version), parse_range(wanted))
    except BadVersion:
        answer = None
    if answer is admitted or (answer is None and not admitted):  # a refused range admits nothing
        return "agrees"
    if loose:
        return "loose syntax is not ours"
    reason = next((why for why, shape in DIFFERENT_RANGES if shape.search(wanted)), None)
    return f"differs: {reason}" if reason else f"wrong: says {answer}"


def _order_case(larger: str, smaller: str, *, loose: bool) -> str:
    try:
        holds = parse_version(larger).order > parse_version(smaller).order
    except BadVersion:
        return "loose syntax is not ours" if loose else "wrong: refused"
    return "order agrees" if holds else "wrong: another order"


# -- Ed25519 ----------------------------------------------------------------------------------------------------


def wycheproof_suite(texts: Texts) -> Figures:
    """Check the signature primitive with the Wycheproof vectors."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    (body,) = texts("wycheproof", "wycheproof/eddsa_test.json").values()
    seen: Counter[str] = Counter()
    wrong: list[str] = []
    document = json.loads(body)
    total = 0
    for group in document["testGroups"]:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(group["key"]["pk"]))
        for test in group["tests"]:
            total += 1
            try:
                key.verify(bytes.fromhex(test["sig"]), bytes.fromhex(test["msg"]))
                answer = "valid"
            except InvalidSignature:
                answer = "invalid"
            if answer == test["result"]:
                seen[f"{answer}, as the vectors say"] += 1
            else:
                wrong.append(f"{test['tcId']} {test['comment']}: {answer}")
    assert total == document["numberOfTests"]
    return figures(total, seen, wrong)


SUITES = {
    "yaml": yaml_suite,
    "json-patch": patch_suite,
    "semver": semver_suite,
    "wycheproof": wycheproof_suite,
}
