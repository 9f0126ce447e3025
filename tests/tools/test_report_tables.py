"""The tables of a soak report."""

from __future__ import annotations

from tools.report_tables import RESULTS_NOTE, part_name, tables


def test_parts_with_few_figures_are_the_rows_of_one_table() -> None:
    lines = tables({"1": {"trials": 5000, "wrong": 0}, "close": {"trials": 50, "late": 1.5}})
    assert lines == [
        "",
        "| part | trials | wrong | late |",
        "|---|---|---|---|",
        "| part 1 | 5,000 | 0 |  |",
        "| close | 50 |  | 1.5 |",
    ]


def test_only_neighbours_with_the_same_figures_share_a_table_if_there_are_many_figures() -> None:
    same = dict.fromkeys("abc", 1)
    other = dict.fromkeys("defgh", 2)
    lines = tables({"1": same, "2": same, "p99": other})
    assert lines[1:5] == [
        "| part | a | b | c |",
        "|---|---|---|---|",
        "| part 1 | 1 | 1 | 1 |",
        "| part 2 | 1 | 1 | 1 |",
    ]
    assert lines[6] == "## p99"
    assert "| d | 2 |" in lines


def test_a_single_part_has_one_row_for_each_figure() -> None:
    assert tables({"all": {"trials": 3}}) == [
        "",
        "## all",
        "",
        "| figure | value |",
        "|---|---|",
        "| trials | 3 |",
    ]


def test_counted_results_are_explained() -> None:
    assert RESULTS_NOTE in tables({"0": {"failed none stale_target": 2}})
    assert RESULTS_NOTE not in tables({"0": {"failed": 2, "trials": 3}})


def test_a_numbered_unit_is_called_a_part_and_other_units_by_their_words() -> None:
    assert [part_name("3"), part_name("kills 9"), part_name("moving_button")] == [
        "part 3",
        "kills 9",
        "moving button",
    ]
