"""Find JSON texts in which an object has the same member twice.

Parsers disagree on which of the two values counts, so the protocol refuses such texts. A full check costs more than
decoding and validating together. The fast check counts members in the text and in the decoded value after it is
encoded again: a dropped duplicate lowers the second count. The full check runs only if the counts differ, or if
escapes written as \\u or space before a colon make them unreliable.
"""

from __future__ import annotations

import jiter

_UNRELIABLE = (b"\\u", b" :", b"\t:", b"\n:", b"\r:")


def proves_no_duplicate(text: str, payload: bytearray, header: int, depth: int) -> bool:
    """Return True if equal counts of colons prove that a whole message has no duplicate member.

    Every member has a colon, however it is spaced, and only an escape can hide one. False proves nothing. `header` is
    the number of colons in the header, `payload` the decoded payload encoded again. A message that nests deeper than
    `depth` never passes: an object inside an object needs a colon, an array needs a bracket.
    """
    colons = text.count(":")
    return (
        colons == header + payload.count(58)
        and colons + payload.count(91) < depth
        and ("\\" not in text or "\\u" not in text)
    )


def has_duplicate_member(data: bytes, encoded: bytes) -> bool:
    """Return whether `data` has a duplicate member; `encoded` is its decoded value, encoded again."""
    if data.count(b'":') == encoded.count(b'":') and not any(mark in data for mark in _UNRELIABLE):
        return False
    return scan_for_duplicate_member(data)


def scan_for_duplicate_member(data: bytes) -> bool:
    """Return whether `data` has a duplicate member, by parsing it in full."""
    try:
        # no cache: it would keep the peer's strings for as long as the process runs
        jiter.from_json(data, catch_duplicate_keys=True, allow_inf_nan=False, cache_mode="none")
    except ValueError as error:
        return "duplicate key" in str(error)
    return False
