"""Document order as linked siblings: adding, moving and removing nodes, and what a hostile graph cannot do."""

from __future__ import annotations

from uiap.graph.tree import DocumentTree


def tree_of(*rows: tuple[str, str | None]) -> DocumentTree:
    tree = DocumentTree()
    for node, parent in rows:
        tree.append(node, parent, "d")
    return tree


def test_nodes_are_walked_parents_first_and_siblings_in_order() -> None:
    tree = tree_of(("a", None), ("b", None), ("a1", "a"), ("a2", "a"), ("a1x", "a1"))
    assert list(tree.walk()) == ["a", "a1", "a1x", "a2", "b"]
    assert list(tree.walk("a")) == ["a1", "a1x", "a2"]
    assert list(tree.children("a")) == ["a1", "a2"]
    assert list(tree.ancestors("a1x")) == ["a1", "a"]


def test_a_node_is_put_behind_a_sibling_or_to_the_front() -> None:
    tree = tree_of(("a", None), ("b", None), ("c", None))
    tree.put_after("c", "a")
    assert list(tree.walk()) == ["a", "c", "b"]
    tree.put_after("b", None)
    assert list(tree.walk()) == ["b", "a", "c"]


def test_a_node_is_not_put_behind_a_node_of_another_parent() -> None:
    tree = tree_of(("a", None), ("a1", "a"), ("b", None))
    tree.put_after("b", "a1")
    assert list(tree.walk()) == ["a", "a1", "b"]


def test_a_moved_node_takes_its_descendants_along_but_never_below_itself() -> None:
    tree = tree_of(("a", None), ("a1", "a"), ("b", None))
    tree.move("a", "b", "d")
    assert list(tree.walk()) == ["b", "a", "a1"]
    tree.move("b", "a1", "d")
    assert list(tree.walk()) == ["b", "a", "a1"]


def test_a_parent_that_was_not_added_does_not_count() -> None:
    tree = tree_of(("a", "missing"), ("b", "b"))
    assert list(tree.walk()) == ["a", "b"]
    assert tree.parent("a") is None and tree.parent("b") is None


def test_removing_a_node_closes_the_gap() -> None:
    tree = tree_of(("a", None), ("b", None), ("c", None))
    tree.remove("b")
    assert list(tree.walk()) == ["a", "c"]
    assert "b" not in tree


def test_the_nodes_inside_another_one_are_kept_also_those_of_frames_in_it() -> None:
    tree = tree_of(("a", None), ("a1", "a"), ("a2", "a1"), ("b", None), ("frame", "a"))
    tree.append("f1", None, "inner")
    tree.append("f2", "f1", "inner")
    tree.append("other", None, "elsewhere")
    tree.set_host("inner", "frame")
    assert tree.only_inside("a", ["f2", "a2", "b", "a", "other"]) == ["f2", "a2"]
    assert tree.only_inside("a1", ["f2", "a2", "b"]) == ["a2"]


def test_frames_that_contain_each_other_end_the_search() -> None:
    tree = DocumentTree()
    tree.append("x", None, "one")
    tree.append("y", None, "two")
    tree.append("a", None, "d")
    tree.set_host("one", "y")
    tree.set_host("two", "x")
    assert tree.only_inside("a", ["x", "y"]) == []
