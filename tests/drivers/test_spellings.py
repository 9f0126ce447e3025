"""No spelling of an inside address is let through (robustness P11)."""

from __future__ import annotations

from tests.drivers.spellings import urls
from uiap.drivers.reach import Reach


def test_no_spelling_of_an_inside_address_is_let_through() -> None:
    reach = Reach(())
    tried = list(urls())
    let_through = [url for url in tried if reach.refusal(url) is None]
    assert let_through == []
    assert len(tried) > 2000
