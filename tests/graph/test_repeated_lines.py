"""Lines that the page before showed too are folded, whatever their refs and however far their texts are shortened."""

from __future__ import annotations

import pytest

from tests.graph.pages import Page
from uiap.graph.outline import outline
from uiap.graph.repeated_lines import fold_repeated, line_keys
from uiap.graph.store import GraphStore

BEFORE = """page "/a" "A" · revision rev_1
[e3] link "Home"
region "Navigation of the whole site" [d2e4]
  [d2e5] link "Videos"
h1 "Videos"
"""


def test_runs_of_repeated_lines_become_one_line():
    now = [
        '[e1003] link "Home"',
        'region "Navigation of the w…" [d3e4]',
        '  [d3e5] link "Videos"',
        '"Saved."',
    ]
    assert list(fold_repeated(now, line_keys(BEFORE))) == ["… navigation as before (3 lines)", '"Saved."']


def test_a_single_repeated_line_stays():
    assert list(fold_repeated(['"New"', 'h1 "Videos"', '"Other"'], line_keys(BEFORE))) == [
        '"New"',
        'h1 "Videos"',
        '"Other"',
    ]


def test_the_rest_of_a_repeated_list_is_folded_with_it():
    now = [
        'region "Navigation of the w…" [d3e4]',
        '  [d3e5] link "Videos"',
        "  … items 2–8 of 8 not shown",
        "new",
    ]
    assert list(fold_repeated(now, line_keys(BEFORE))) == ["… navigation as before (3 lines)", "new"]
    assert list(fold_repeated(["new", "… rows 2–8 of 8 not shown"], line_keys(BEFORE)))[1].startswith(
        "… rows"
    )


def test_an_outline_since_another_page_begins_with_what_is_new():
    page = Page()
    for name in ("Home", "Videos", "Team"):
        page.element("link", name)
    page.element("alert", "The video was added.")
    store = GraphStore(page.graph())
    keys = line_keys('page\n[d1e1] link "Home"\n[d1e2] link "Videos"\n[d1e3] link "Team"')
    lines = outline(store, since="rev_of_another_page", before=keys).splitlines()
    assert lines[1] == "… navigation as before (3 lines)"
    assert "The video was added." in lines[2]
    assert "link" in outline(store, since="rev_of_another_page")


def test_a_message_is_never_folded_even_if_the_page_before_showed_it():
    before = line_keys('page\nstatus "Saved"\n[e1] link "Home"\n[e2] link "Team"')
    now = ['[e1001] link "Home"', '[e1002] link "Team"', 'status "Saved"', '[e1003] alert "Saved"']
    assert list(fold_repeated(now, before))[1:] == ['status "Saved"', '[e1003] alert "Saved"']


@pytest.mark.parametrize("line", ['"Row added"', '- "Row added"', 'h1 "Row added"', '1. "Row added"'])
def test_any_text_may_be_the_message_of_a_second_action(line: str):
    before = line_keys(f'page\n{line}\n[e1] link "Home"\n[e2] link "Team"')
    now = [line, '[e1001] link "Home"', '[e1002] link "Team"']
    assert list(fold_repeated(now, before)) == [line, "… navigation as before (2 lines)"]
