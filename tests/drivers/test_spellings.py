"""`Reach` refuses an internal address in every spelling."""

from __future__ import annotations

from tests.drivers.spellings import urls
from uiap.drivers.reach import Reach


def test_internal_address_is_refused_in_every_generated_spelling() -> None:
    reach = Reach(())
    tried = list(urls())
    admitted = [url for url in tried if reach.refusal(url) is None]
    assert admitted == []
    assert len(tried) > 2000
