"""Patterns of other people: the answers of Python's matcher, in linear time."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from uiap.linear_pattern import MAX_TEXT, LinearPattern, PatternRefused, linear_pattern

PATTERNS = (
    "^[a-z]+$", "a|bc", "(ab)*c", "a{2,3}b", r"\d+-\d*", r"^\s*$", "[^a-c]x", "a.c", "(?s)a.c", "(?i)aB",
    r"\bab\b", r"a\B", "(a|b)*?c", "", "$", "x?y?$", r"[\w-]+@\w+", r"\Aab\Z", "(?:a(?:b|c)){1,2}",
)  # fmt: skip


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(PATTERNS), st.text("abcxyAB1-@_ \n", max_size=8))
def test_a_search_answers_like_the_matcher_of_python(pattern: str, text: str) -> None:
    assert LinearPattern(pattern).found_in(text) is (re.search(pattern, text) is not None), (pattern, text)


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "(a|aa)+$", r"(\w+\s?)+$", "a*a*a*a*a*b"])
def test_a_text_that_was_chosen_to_take_long_does_not(pattern: str) -> None:
    assert linear_pattern(pattern).found_in("a" * (MAX_TEXT - 1) + "!") is False


@pytest.mark.parametrize(
    "pattern", ["(", r"(a)\1", "(?=a)", "(?<!a)b", "(?>a)", "a{5000}", "(?:a{99}){99}", "(?m)^a", "(" * 500]
)
def test_a_pattern_that_cannot_be_matched_in_one_reading_is_refused(pattern: str) -> None:
    with pytest.raises(PatternRefused):
        LinearPattern(pattern)


def test_a_search_ends_after_its_share_of_work() -> None:
    alphabet = "".join(map(chr, range(0x4E00, 0x4E00 + 5_000)))
    for pattern, text in (("(?:.{0,40}){20}x", alphabet), ("a", "b" * (MAX_TEXT + 1))):
        with pytest.raises(PatternRefused):
            linear_pattern(pattern).found_in(text)
