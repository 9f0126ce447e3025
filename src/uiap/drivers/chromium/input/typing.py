"""Write text with key events, as a person does: the page sees each key, and nothing commits the value.

Short text has a key press for each character. Of long text the beginning, the end, and the first character of each kind
have keys, so that a page can refuse them; the rest is inserted at once. Characters without a key are composed, as an
input method does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from uiap.actions.ops import Guard, SetText, TypeText
from uiap.drivers.chromium.connection.cdp import CdpSession
from uiap.drivers.chromium.input import pointer
from uiap.drivers.chromium.input.gesture import guard_terms
from uiap.drivers.chromium.input.keys import has_key
from uiap.drivers.chromium.input.reasons import outcome_from_answer
from uiap.drivers.driver import PerformDispatched, PerformOutcome

if TYPE_CHECKING:
    from uiap.drivers.chromium.input.perform import Performer

KEYED_CHARACTERS = 30
"""Longer text is inserted between its first and its last keys; a key takes about a millisecond."""
FIRST_KEYS, LAST_KEYS = 12, 4


async def replace_text(performer: Performer, op: SetText) -> PerformOutcome:
    """Replace the whole text of a field."""
    assert op.guard is not None
    return await _write(performer, op.guard, performer.text_of(op.text), replaces=True)


async def type_text(performer: Performer, op: TypeText) -> PerformOutcome:
    """Add text at the caret of a field."""
    assert op.guard is not None
    return await _write(performer, op.guard, performer.text_of(op.text), replaces=False)


async def _write(performer: Performer, guard: Guard, text: str, *, replaces: bool) -> PerformOutcome:
    gesture = performer.gesture
    request = {"op": "caret", **guard_terms(guard), "text": text, "replace": replaces, "token": gesture.token}
    answer, refusal = await gesture.arm_after(
        performer.call_page_script("perform", request), guard, typing=True
    )
    if not answer.get("ok"):
        await gesture.disarm()
        return outcome_from_answer(answer, gesture.dispatched())
    if refusal is not None:
        return refusal
    gesture.begin()
    outcome = await gesture.finish(_keys(performer.document.session, text, answer["detail"], replaces))
    if isinstance(outcome, PerformDispatched) and outcome.interrupted_by is None and not outcome.detail:
        return replace(outcome, detail={"typed": True})
    return outcome


def _keys(session: CdpSession, text: str, field: dict[str, Any], replaces: bool) -> pointer.Replies:
    """Send the keys; `field` describes the field as the page script found it."""
    replies: pointer.Replies = []
    if replaces and field.get("editor") and not field.get("empty"):
        replies += pointer.press(session, "a", ["Control"], ["selectAll"])
    if not text:
        return replies if field.get("empty") else replies + pointer.press(session, "Delete")
    if not field.get("multiline"):
        text = text.replace("\r", "").replace("\n", "")  # Enter would submit the form
    for part, keyed in parts_of(text):
        replies += _press_keys(session, part) if keyed else [pointer.insert(session, part)]
    return replies


def parts_of(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of the text, each with whether it is written with keys."""
    if len(text) <= KEYED_CHARACTERS:
        yield text, True
        return
    yield text[:FIRST_KEYS], True
    seen, begin, end = (
        {_kind(character) for character in text[:FIRST_KEYS]},
        FIRST_KEYS,
        len(text) - LAST_KEYS,
    )
    for index in range(FIRST_KEYS, end):
        kind = _kind(text[index])
        if kind not in seen:  # a page may refuse this kind of key
            seen.add(kind)
            if begin < index:
                yield text[begin:index], False
            yield text[index], True
            begin = index + 1
    if begin < end:
        yield text[begin:end], False
    yield text[end:], True


def _kind(character: str) -> str:
    """Return the kind of a character, as a page may filter keys: a letter of one case, a digit, or a sign itself."""
    if character.isalpha():
        return "upper" if character.isupper() else "lower"
    return "digit" if character.isdecimal() else character


def _press_keys(session: CdpSession, text: str) -> pointer.Replies:
    replies: pointer.Replies = []
    for keyed, characters in groupby(text, has_key):
        run = "".join(characters)
        if not keyed:  # a line break is text, and never the key Enter, which may send what was typed
            whole = "".join(run.split()) == run and run.isprintable()
            replies += pointer.compose(session, run) if whole else [pointer.insert(session, run)]
            continue
        for character in run:
            replies += pointer.press_character(session, character)
    return replies
