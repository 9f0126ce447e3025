"""Data of one recording in addresses, ids and names. Another run has other data, so none of it may stay. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from urllib.parse import unquote

import msgspec
from msgspec import UNSET

from uiap.graph.names import normalised
from uiap.record_segments import VIEW_WORDS, is_record_segment
from uiap.spec.authoring import AnnotationMatcher, ElementBinding, SemanticMatcher

MIN_DATA = 3
"""Shorter values occur in other words by chance."""
OPAQUE_LEAST = 6
_VIEW = re.compile(rf"(?:{'|'.join(sorted(VIEW_WORDS))})[-_]?\d+", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+")
_NUMBERED = re.compile(r"[^\W\d]+\d+")
"""A word and a number without a sign between them, such as `issue21`."""
_CASES = re.compile(r"[A-Z]+|[a-z]+")
_LETTERS_PER_CASE = 2.5
"""Words have more letters of one case in a row, `createItem`; made-up ids have fewer, `kQzPdYwT`."""


def _words(text: str) -> str:
    return "-" + "-".join(_WORD.findall(normalised(text))) + "-"


def parameter_in(text: str, values: Mapping[str, str]) -> str:
    """Return the name of the parameter whose value occurs in an id or an address as whole words; empty if none does.

    Ids of scopes have `n` in place of each number.
    """
    words, longest_first = _words(text), sorted(values, key=len, reverse=True)
    return next((values[one] for one in longest_first if _occurs(_words(one), words)), "")


def _occurs(value: str, words: str) -> bool:
    if len(value) < MIN_DATA + 2:
        return False
    letters = any(one.isalpha() for one in value)
    return value in words or (letters and re.sub(r"\d+", "n", value) in words)


def lasting_route(
    pattern: str, path_before: str, path: str, values: Mapping[str, str], *, wrote: bool
) -> str:
    """Return the pattern of a route that fits other data: `:name` for an entered value, `:id` for a new record.

    A part with a number names what the step made, if the page before did not have it. After a write, so does a made-up
    word.
    """
    wanted, parts = pattern.split("/"), [unquote(one) for one in f"/{path.lstrip('#!/')}".split("/")]
    if len(wanted) != len(parts):
        return pattern
    known = {unquote(one) for one in path_before.split("/")}
    return "/".join(
        _lasting_part(one, part, known, values, wrote) for one, part in zip(wanted, parts, strict=True)
    )


def _lasting_part(
    wanted: str, part: str, known: Iterable[str], values: Mapping[str, str], wrote: bool
) -> str:
    """Return one part of the pattern. `wanted` is the recorded part of the pattern, `part` that of the address."""
    if wanted.startswith(":") or part in known:
        return wanted
    if name := parameter_in(part, values):
        return f":{name}"
    if _NUMBERED.fullmatch(part) and not _VIEW.fullmatch(part):
        return re.sub(r"\d+$", "*", part)
    return ":id" if is_record_segment(part) or (wrote and _is_made_up(part)) else wanted


def _is_made_up(part: str) -> bool:
    cases = _CASES.findall(part)
    return len(part) >= OPAQUE_LEAST and part.isalpha() and len(part) < _LETTERS_PER_CASE * len(cases)


def lasting_binding(binding: ElementBinding, values: Mapping[str, str]) -> ElementBinding:
    """Return a binding without attributes and scopes that contain an entered value."""
    scope = binding.scope_id
    stays = scope is UNSET or not parameter_in(scope, values)
    return msgspec.structs.replace(
        binding,
        scope_id=scope if stays else UNSET,
        match=tuple(_lasting_matcher(one, values) for one in binding.match if not _is_data(one, values)),
    )


def _is_data(matcher: object, values: Mapping[str, str]) -> bool:
    return isinstance(matcher, AnnotationMatcher) and bool(parameter_in(matcher.value, values))


def _lasting_matcher(matcher: object, values: Mapping[str, str]) -> object:
    if not isinstance(matcher, SemanticMatcher) or not isinstance(matcher.scope_id, str):
        return matcher
    return (
        msgspec.structs.replace(matcher, scope_id=UNSET)
        if parameter_in(matcher.scope_id, values)
        else matcher
    )
