"""Several steps in one call: words or JSON become the requests of verbs. Standard library alone.

    fill Title=My video; select Category=Tutorial; click Create video --near "Draft"

A step is a verb, or a look between them: `find`, `observe`, `wait` and `expect`. Steps are separated by semicolons or
lines. Quotes around a name or a value are left out, as a shell does; one with a
semicolon, an equals sign or `--` needs them. After a ref or a quoted name, a space separates the value as well as `=`.
The JSON form is a list of objects such as `{"do": "fill", "target": "Title", "value": "My video"}`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from uiap.client.looks import LOOKS, Look, look_of
from uiap.client.signal_words import signal_of
from uiap.client.verbs import VERBS, Verb, VerbError, action_request, element_ref, verb_named

DRAFTS = frozenset({"fill", "clear", "check", "uncheck"})
"""Verbs that only fill in and whose end state is known from the request: in a row they settle together."""
NAVIGATIONS = frozenset({"goto", "back", "forward", "reload"})
TOGETHER: Mapping[str, Any] = MappingProxyType({"settle": "together"})
"""The metadata of a request that is checked again after the drafts that follow it."""
LASTING_MS = 300
"""How long the values of several drafts may take to be as they were read back, before each is filled in again."""
OPTIONS = ("role", "near", "within", "expect")
_DOUBLE = r'"(?:[^"\\]|\\.)*"'
_SINGLE = r"(?<![^\s=;])'(?:[^'\\\n]|\\.|'(?![\s=;]|$))*'(?=[\s=;]|$)"
"""Single quotes around whole words. An apostrophe inside of a word is no quote."""
_QUOTED = rf"(?:{_DOUBLE}|{_SINGLE})"
_PIECES = re.compile(rf"{_QUOTED}|[;\n]|[^;\n\"']+|[\"']")
_OPTION = re.compile(rf"\s+--({'|'.join(OPTIONS)})\s+({_QUOTED}|\S+)")
_EQUALS = re.compile(rf"(?:{_QUOTED}|[^=\"])*?=")
_QUOTED_NAME = re.compile(rf"({_QUOTED})\s+(.+)", re.DOTALL)


class Step(NamedTuple):
    """One step: its verb with the words of a person, and the members of its request."""

    verb: str
    target: str | None = None
    value: Any = None
    role: str | None = None
    near: str | None = None
    within: str | None = None
    expect: tuple[Any, ...] = ()
    """Expected effects, as words such as `toast.contains:created` or as signals."""

    @property
    def words(self) -> str:
        """The step as a person reads it, without its value, which may be private."""
        return " ".join(word for word in (self.verb.replace("_", "-"), self.target or "") if word)

    @property
    def may_settle_later(self) -> bool:
        """Whether its end state can be checked again at once, after the drafts that follow it."""
        return self.verb in DRAFTS and not self.expect

    @property
    def look(self) -> Look | None:
        """Return the step as a `Look` if it only reads the page, else None. ValueError if something is missing."""
        if self.verb not in LOOKS:
            return None
        narrowed = {"role": self.role, "near": self.near, "within": self.within}
        return look_of(self.verb, self.target, expect=self.expect, **narrowed)

    def request(self) -> dict[str, Any]:
        """Return the payload of `action.request`, without the expected effects. Raise VerbError if one is missing."""
        return action_request(
            self.verb, self.target, self.value, role=self.role, near=self.near, within=self.within
        )


def parse_steps(given: str | Sequence[Mapping[str, Any]]) -> list[Step]:
    """Return the steps of a text or of a JSON list. Raise VerbError that names the step which is wrong."""
    if isinstance(given, str):
        text = given.strip()
        if text.startswith("["):
            return parse_steps(_json_list(text))
        steps = [_parse_line(line) for line in _lines(text)]
    else:
        steps = [_parse_members(number, one) for number, one in enumerate(given, 1)]
    if not steps:
        raise VerbError('there are no steps; write "fill Title=Hello; click Save"')
    for number, step in enumerate(steps, 1):
        try:
            if step.look is None:
                step_request(step)
        except ValueError as error:
            raise VerbError(f"step {number}: {error}") from None
    return steps


def step_request(step: Step, *, settle_later: bool = False) -> dict[str, Any]:
    """Return the payload of `action.request` for one step, with its expected effects."""
    request = step.request()
    if step.expect:
        signals = [signal_of(one) if isinstance(one, str) else dict(one) for one in step.expect]
        request["verification"] = {"policy": "all", "signals": signals}
    return {**request, "metadata": dict(TOGETHER)} if settle_later else request


def settles_later(steps: Sequence[Step], number: int) -> bool:
    """Return whether this step is checked again after the drafts that follow it."""
    following = steps[number + 1 : number + 2]
    return steps[number].may_settle_later and bool(following) and following[0].may_settle_later


def value_read(step: Step, returned: Mapping[str, Any] | None) -> Any:
    """Return the value that a step read; None for a step that acted."""
    value = returned or {}
    if step.verb in LOOKS:
        return value.get("text")
    member = VERBS[step.verb].returns
    return value.get(member) if member else None


def shows_changes(steps: Sequence[Step]) -> bool:
    """Return whether the answer also shows the changes of the page.

    It does not if the last step shows the whole page, or if the steps only go to a page and read there: what they read
    is the answer.
    """
    last = steps[-1]
    if last.verb == "observe" and last.target is None:
        return False
    return not _only_reads(last) or not all(_only_reads(one) or one.verb in NAVIGATIONS for one in steps)


def _only_reads(step: Step) -> bool:
    return step.verb in LOOKS or bool(VERBS[step.verb].returns)


def lasting_query(observed: Iterable[Sequence[Mapping[str, Any]]]) -> dict[str, Any] | None:
    """Return the payload of `x.uiap.tools.expect` that checks several drafts at once.

    `observed` has the signals that proved each draft. A masked field is proved without one, so it has to be checked by
    itself: the return value is None then.
    """
    signals: list[Mapping[str, Any]] = []
    for proof in observed:
        if not proof:
            return None
        signals += proof
    return {"signals": signals, "timeoutMs": LASTING_MS}


def form_steps(fields: Mapping[str, Any]) -> list[Step]:
    """Return the steps that fill in fields by name, for values whose verb is certain: true and false, lists."""
    return [_field_step(name, value) for name, value in fields.items()]


def _field_step(name: str, value: Any) -> Step:
    if isinstance(value, bool):
        return Step("check" if value else "uncheck", name)
    if isinstance(value, list | tuple):
        return Step("select", name, list(value))
    return Step("fill", name, value)


def _json_list(text: str) -> list[Mapping[str, Any]]:
    try:
        found = json.loads(text)
    except ValueError:
        raise VerbError("the steps are not JSON; check quotes and brackets") from None
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise VerbError('write a list of steps: [{"do": "click", "target": "Save"}]')
    return found


def _parse_members(number: int, given: Mapping[str, Any]) -> Step:
    known = {"do", "target", "value", "role", "near", "within", "expect"}
    if unknown := [name for name in given if name not in known]:
        raise VerbError(f"step {number}: `{unknown[0]}` is not a member; use {', '.join(sorted(known))}")
    if not isinstance(given.get("do"), str):
        raise VerbError(f"step {number} has no `do`; the verbs are {', '.join((*VERBS, *LOOKS))}")
    members = {name: given[name] for name in known - {"do", "expect"} if given.get(name) is not None}
    expected = given.get("expect", ())
    signals = tuple(expected) if isinstance(expected, list | tuple) else (expected,)
    return Step(given["do"].replace("-", "_"), **members, expect=signals)


def _lines(text: str) -> Iterator[str]:
    line = ""
    for piece in _PIECES.findall(text):
        if piece in (";", "\n"):
            yield from (line.strip(),) if line.strip() else ()
            line = ""
        else:
            line += piece
    yield from (line.strip(),) if line.strip() else ()


def _parse_line(line: str) -> Step:
    word, _, rest = line.partition(" ")
    options: dict[str, list[str]] = {}
    for name, value in _OPTION.findall(f" {rest}"):
        options.setdefault(name, []).append(_unquoted(value))
    rest = _OPTION.sub("", f" {rest}").strip()
    narrowed = {name: options[name][-1] for name in ("role", "near", "within") if name in options}
    expected = tuple(options.get("expect", ()))
    if word in LOOKS:
        return Step(word, _unquoted(rest) or None, **narrowed, expect=expected)
    verb = _verb_of_step(word)
    target, value = _split(verb.target != "none", verb.value != "none", rest)
    if verb.target == "optional" and verb.value == "required":  # press: all words are the key
        target, value = None, _unquoted(rest) or None
    return Step(word.replace("-", "_"), target, value, **narrowed, expect=expected)


def _verb_of_step(word: str) -> Verb:
    try:
        return verb_named(word)
    except VerbError as error:
        raise VerbError(f"{error}, {', '.join(LOOKS)}") from None


def _split(has_target: bool, has_value: bool, rest: str) -> tuple[str | None, str | None]:
    """Return target and value of `Title=Hello`; a verb without one of them takes all words as the other."""
    if not has_value:
        return _unquoted(rest) or None, None
    if not has_target:
        return None, _unquoted(rest) or None
    if (pair := _QUOTED_NAME.fullmatch(rest)) and not pair[2].startswith("="):
        return _unquoted(pair[1]), _unquoted(pair[2])
    first, _, others = rest.partition(" ")
    if others.strip() and element_ref(first) is not None and not others.lstrip().startswith("="):
        return first, _unquoted(others)
    found = _EQUALS.match(rest)
    if found is None:
        return _unquoted(rest) or None, None
    return _unquoted(found.group(0)[:-1]), _unquoted(rest[found.end() :])


def _unquoted(words: str) -> str:
    words = words.strip()
    if re.fullmatch(_QUOTED, words):
        return re.sub(r"\\(.)", r"\1", words[1:-1])
    return words
