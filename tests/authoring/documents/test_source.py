"""Hostile and surprising texts: refused with file, line and reason, or parsed as YAML 1.2."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from uiap.authoring.documents.source import MAX_BYTES, read

LAUGHS = "a: &a [lol, lol]\n" + "".join(
    f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(9)
)
HOSTILE: dict[str, tuple[str | bytes, str, int]] = {
    "billion laughs": (LAUGHS, "yaml_anchor", 1),
    "quadratic alias": (
        "x: 1\na: &a [" + "1, " * 999 + "1]\n" + "".join(f"b{i}: *a\n" for i in range(999)),
        "yaml_anchor",
        2,
    ),
    "an alias alone": ("x: 1\ny: *x\n", "yaml_alias", 2),
    "an alias in a flow list": ("x: [1, *x]\n", "yaml_alias", 1),
    "an alias after a block of text": ("a: |\n  x\nb: *x\n", "yaml_alias", 3),
    "an alias after a nested block of text": ("a:\n  - b: |\n      x\n    c: *x\n", "yaml_alias", 4),
    "an alias as key": ("*x : 1\n", "yaml_alias", 1),
    "python object tag": ("a: 1\nb: !!python/object/apply:os.system [id]\n", "yaml_tag", 2),
    "js function tag": ("a: !!js/function 'x'\n", "yaml_tag", 1),
    "local tag": ("a:\n  - !mine x\n", "yaml_tag", 2),
    "verbatim tag": ("a: !<tag:yaml.org,2002:str> x\n", "yaml_tag", 1),
    "a plain str tag": ("a: !!str 1\n", "yaml_tag", 1),
    "binary root tag": ("!!binary aGVsbG8=\n", "yaml_tag", 1),
    "merge key with anchor": ("a: &a {x: 1}\nb:\n  <<: *a\n", "yaml_anchor", 1),
    "yaml 1.1 directive": ("%YAML 1.1\n---\na: no\n", "yaml_directive", 1),
    "tag directive": ("%TAG ! tag:evil,2000:\n---\na: 1\n", "yaml_directive", 1),
    "duplicate key": ("a: 1\nb: 2\na: 3\n", "duplicate_key", 3),
    "duplicate key below": ("a:\n  - b: 1\n    c: 2\n    b: 3\n", "duplicate_key", 4),
    "duplicate key in flow": ("a: {b: 1, b: 2}\n", "duplicate_key", 1),
    "deep flow lists": ("[" * 100_000 + "]" * 100_000, "yaml_depth", 1),
    "deep flow maps": ("{a: " * 100_000, "yaml_depth", 1),
    "deep mixed flow": ("a:\n  b: " + "[{c: " * 5_000, "yaml_depth", 2),
    "deep dashes": ("- " * 20_000 + "x", "yaml_depth", 1),
    "deep wide dashes": ("-  " * 20_000 + "x", "yaml_syntax", 1),
    "deep blocks": ("".join(" " * i + "a:\n" for i in range(300)), "yaml_syntax", 129),
    "two documents": ("a: 1\n---\nb: 2\n", "yaml_documents", 2),
    "two marked documents": ("---\na: 1\n---\nb: 2\n", "yaml_documents", 3),
    "tab indentation": ("a:\n\tb: 1\n", "yaml_syntax", 2),
    "control character": ('a: 1\nb: "\x01"\n', "yaml_syntax", 2),
    "lone surrogate": ('a: "\\ud800"\n', "yaml_syntax", 1),
    "unclosed quote": ('a: "x\n', "yaml_syntax", 2),
    "unclosed bracket": ("a: [1\nb: 2\n", "yaml_syntax", 2),
    "a list as key": ("? [a, b]\n: 1\n", "key_not_text", 1),
    "huge integer": ("a: 123456789012345678901234567890\n", "yaml_syntax", 1),
    "laughs in a flow map": ("{a: &a [x], b: &b [*a, *a]}\n", "yaml_anchor", 1),
    "an anchor on a key": ("&a b: 1\n", "yaml_anchor", 1),
    "an anchor in a list of lists": ("- - - &a x\n", "yaml_anchor", 1),
    "an anchor after a quote": ("a: 'x'\nb: &c y\n", "yaml_anchor", 2),
    "an anchor hidden by a quoted sign": ("a: '&b'\nc: &d e\n", "yaml_anchor", 2),
    "an alias behind a comment": ("a: 1 # *x\nb: *x\n", "yaml_alias", 2),
    "an alias after a question mark": ("? *x\n: 1\n", "yaml_alias", 1),
    "a recursive structure": ("a: &a\n  b: *a\n", "yaml_anchor", 1),
    "python name tag": ("a: !!python/name:os.system\n", "yaml_tag", 1),
    "python module tag in flow": ("a: [!!python/module:sys x]\n", "yaml_tag", 1),
    "ruby object tag": ("--- !ruby/object:Gem::Installer\ni: x\n", "yaml_tag", 1),
    "java class tag": ("a: !!javax.script.ScriptEngineManager [x]\n", "yaml_tag", 1),
    "an anchor after a document mark": ("--- &a\nb: 1\n", "yaml_anchor", 1),
    "an alias after a document mark": ("--- *a\n", "yaml_alias", 1),
    "a set tag": ("a: !!set {x, y}\n", "yaml_tag", 1),
    "a tag on a key": ("!!str a: 1\n", "yaml_tag", 1),
    "merge key bomb": (
        "a: &a {x: 1}\n" + "".join(f"b{i}:\n  <<: [*a, *a, *a]\n" for i in range(50)),
        "yaml_anchor",
        1,
    ),
    "duplicate key in quotes": ('a: 1\n"a": 2\n', "duplicate_key", 2),
    "duplicate key by escape": ('a: 1\n"\\x61": 2\n', "duplicate_key", 2),
    "deep question marks": ("? " * 20_000 + "x", "yaml_depth", 1),
    "deep flow after a comment": ("# [\na: " + "[" * 101 + "]" * 101, "yaml_depth", 2),
    "a third document": ("a: 1\n...\n---\nb: 1\n---\nc: 1\n", "yaml_documents", 2),
    "tab before a key": ("a: 1\n\tb: 2\n", "yaml_syntax", 2),
    "a glued comment after brackets": ("a: [b]#c\n", "yaml_ambiguous", 1),
    "a glued comment after a quote": ('a: "b"#c\n', "yaml_ambiguous", 1),
    "a glued comment after a comma": ("a: [b,#c\n  d]\n", "yaml_ambiguous", 1),
    "a glued comment after a block sign": ("a: >#c\n  d\n", "yaml_ambiguous", 1),
    "a question mark that begins a word in brackets": ("x: 1\na: {?b: c}\n", "yaml_ambiguous", 2),
    "a question mark in a list": ("a: [?b]\n", "yaml_ambiguous", 1),
    "a dash alone in brackets": ("a: [-, b]\n", "yaml_ambiguous", 1),
    "a block of text without end": ("a: |\n  x\n   ", "yaml_ambiguous", 3),
    "utf-7": (b"+AGE-: 1\n\xff", "not_utf8", 2),
    "overlong utf-8": (b"a: \xc0\xaf\n", "not_utf8", 1),
    "a surrogate in utf-8": (b"a: \xed\xa0\x80\n", "not_utf8", 1),
    "nul": (b"a: 1\nb: \x00\n", "not_utf8", 2),
    "byte order mark": (b"\xef\xbb\xbfa: 1\n", "not_utf8", 1),
    "byte order mark as text": ("\ufeffa: 1\n", "not_utf8", 1),
    "utf-16": ("a: 1\n".encode("utf-16"), "not_utf8", 1),
    "utf-16 without mark": ("a: 1\n".encode("utf-16-le"), "not_utf8", 1),
    "utf-32": ("a: 1\n".encode("utf-32-be"), "not_utf8", 1),
    "latin-1": ("a: 1\nb: ü\n".encode("latin-1"), "not_utf8", 2),
    "too large": (b"a" * (MAX_BYTES + 1), "file_too_large", 1),
}


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_refused_with_file_line_and_reason(name: str) -> None:
    content, code, line = HOSTILE[name]
    got = read("bindings/x.uiap.yaml", content)
    assert got.value is None
    (fault,) = got.faults
    assert (fault.file, fault.code, fault.line) == ("bindings/x.uiap.yaml", code, line)
    assert fault.message


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    ("text", "code", "pointer"),
    [
        ("a:\n  <<: {b: 1}\n", "yaml_merge_key", "/a"),
        ("a: .inf\n", "number_range", "/a"),
        ("a:\n  - -.INF\n", "number_range", "/a/0"),
        ("a: .NaN\n", "number_range", "/a"),
        ("a: 9007199254740993\n", "number_range", "/a"),
    ],
)
def test_values_that_json_cannot_represent_are_refused_with_their_pointer(
    text: str, code: str, pointer: str
) -> None:
    (fault,) = read("x.uiap.yaml", text).faults
    assert (fault.code, fault.pointer) == (code, pointer)


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no: no\non: off\ny: yes\n", {"no": "no", "on": "off", "y": "yes"}),
        ("a: 1_000\n", {"a": "1_000"}),
        ("a: 017\n", {"a": "017"}),
        ("a: 190:20:30\n", {"a": "190:20:30"}),
        ("a: 2026-03-26\n", {"a": "2026-03-26"}),
        ("a: 2026-03-26T17:00:00Z\n", {"a": "2026-03-26T17:00:00Z"}),
        ("a: 1e400\n", {"a": "1e400"}),
        ("a: ~\nb: null\n", {"a": None, "b": None}),
        ("a: true\nb: 1.5\nc: -3\n", {"a": True, "b": 1.5, "c": -3}),
        ("a: 'it''s'\nb: \"say \\\"&x\\\"\"\n", {"a": "it's", "b": 'say "&x"'}),
        ("# *comment &x !y\na: b # *c\n", {"a": "b"}),
        ("a: |\n  * one\n  & two\n  !three\nb: 1\n", {"a": "* one\n& two\n!three\n", "b": 1}),
        ("a:\n  - b: >-\n      !t\n      u\n    c: 2\n", {"a": [{"b": "!t u", "c": 2}]}),
        ('a: "x\n  *y"\nb: 1\n', {"a": "x *y", "b": 1}),
        ("a: x * y & z!\n", {"a": "x * y & z!"}),
        ("a: {b: \"*\", c: '&'}\n", {"a": {"b": "*", "c": "&"}}),
        ("a: [x*y, z&w]\n", {"a": ["x*y", "z&w"]}),
        ("url: http://a/b?c=d&e=f#g\n", {"url": "http://a/b?c=d&e=f#g"}),
        ("a: [b?c, d-e, -f, -1]\nb: {c: what?}\n", {"a": ["b?c", "d-e", "-f", -1], "b": {"c": "what?"}}),
        ("a: '#fff'\nb: x#y\nc: [\"#1\", a#b]\n", {"a": "#fff", "b": "x#y", "c": ["#1", "a#b"]}),
        ("a: [b] # c\nd: > # e\n  f\n", {"a": ["b"], "d": "f\n"}),
        ("- a\n- -b\n- ? c\n  : d\n", ["a", "-b", {"c": "d"}]),
        ("a: 0o14\nb: 0x1F\nc: 0b11\n", {"a": 12, "b": 31, "c": 3}),
    ],
)
def test_surprising_text_is_parsed_as_yaml_1_2(text: str, value: object) -> None:
    got = read("x.uiap.yaml", text)
    assert got.faults == ()
    assert got.value == value


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize(
    ("text", "code"),
    [('{"a": 1, "a": 2}', "duplicate_key"), ('{"a": ', "json_syntax"), ("[" * 100_000, "json_syntax")],
)
def test_hostile_json_is_refused_too(text: str, code: str) -> None:
    assert [f.code for f in read("x.uiap.json", text).faults] == [code]


_MEASURE = """
import json, resource, time
from uiap.authoring.documents.source import MAX_BYTES, read
texts = {
    "open": lambda: "[" * MAX_BYTES, "maps": lambda: "{a: " * 250_000, "alternating": lambda: "[a," * 340_000,
    "dashes": lambda: "- " * 500_000, "wide dashes": lambda: "-  " * 340_000, "questions": lambda: "?  " * 340_000,
    "keys": lambda: "".join(f"k{i}: 1\\n" for i in range(90_000)), "quote": lambda: '"' + "\\\\n" * 500_000 + '"',
    "list": lambda: "[" + "1," * 500_000 + "]", "plain": lambda: "a" * MAX_BYTES, "spaces": lambda: " " * 10**6 + "a",
    "colons": lambda: "a: " * 340_000, "stars": lambda: "a: '" + " *" * 500_000 + "'", "bangs": lambda: "!" * MAX_BYTES,
    "alias": lambda: "a: &a [" + "1," * 400_000 + "]\\n" + "".join(f"b{i}: *a\\n" for i in range(9_000)),
    "large": lambda: "a: 1\\n" * 20_000_000,
}
slowest = 0.0
for name, make in texts.items():
    text = make()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    read("x.uiap.yaml", text)
    slowest = max(slowest, time.process_time() - start)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    assert grown < 200, (name, grown)
print(json.dumps({"seconds": slowest}))
"""


@pytest.mark.requirement("AUTH-SEC.1")
def test_hostile_text_costs_bounded_time_and_memory() -> None:
    """The limits are generous for a busy machine; without the checks the first text alone takes a minute."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE], capture_output=True, text=True, timeout=100, check=True
    )
    measured = json.loads(done.stdout)
    assert measured["seconds"] < 10, measured
