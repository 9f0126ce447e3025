"""Does a JSON text name one member twice? Parsers disagree on which one counts, so we refuse such texts.

A full check costs more than decoding and validating together. The fast answer compares how many members the
text has with how many the decoded value has once it is encoded again: a repeated member makes the text richer.
Where that comparison could be fooled or cannot tell (escapes written as \\u, space before a colon, members the
types do not know), the text is parsed in full.
"""

from __future__ import annotations

import jiter

_UNSURE = (b"\\u", b" :", b"\t:", b"\n:", b"\r:")


def surely_no_duplicate(text: str, payload: bytearray, header: int, depth: int) -> bool:
    """The same proof for whole messages, where no answer costs little: equal counts of colons.

    Every member has one, however it is spaced, and so have some strings; only an escape could hide one. `header` is
    how many a header has whose ids have none, `payload` the decoded payload written again. Nothing deeper than
    `depth` passes either: an object inside an object needs a colon, an array its bracket.
    """
    colons = text.count(":")
    return (
        colons == header + payload.count(58)
        and colons + payload.count(91) < depth
        and ("\\" not in text or "\\u" not in text)
    )


def duplicate_member(data: bytes, encoded: bytes) -> bool:
    """`encoded` is the decoded value written again; equal counts prove that no member was dropped."""
    if data.count(b'":') == encoded.count(b'":') and not any(mark in data for mark in _UNSURE):
        return False
    return duplicate_member_in(data)


def duplicate_member_in(data: bytes) -> bool:
    """The full check."""
    try:
        # no cache: it would keep what strangers say for as long as the process lives
        jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="none")
    except ValueError as error:
        return "duplicate key" in str(error)
    return False
