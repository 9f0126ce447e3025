"""Digests are equal for equal input, in every process: stored grants, manifests and states rely on these texts."""

import msgspec

from uiap.digests import content_digest, json_digest, text_digest


def test_the_digest_of_a_value_does_not_depend_on_the_order_of_its_members() -> None:
    assert json_digest({"b": 1, "a": [True, None]}) == json_digest({"a": [True, None], "b": 1})
    assert json_digest({"a": 1}) == "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert json_digest({"a": 1}) != json_digest({"a": "1"})


def test_a_struct_has_the_digest_of_its_json() -> None:
    class Pair(msgspec.Struct):
        b: int
        a: str

    assert json_digest(Pair(b=1, a="x")) == json_digest({"a": "x", "b": 1})


def test_the_digest_of_content_names_its_algorithm() -> None:
    assert content_digest(b"") == "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_order_and_limits_of_texts_change_the_digest() -> None:
    assert text_digest(["a", "b"]) != text_digest(["b", "a"])
    assert text_digest(["ab", "c"]) != text_digest(["a", "bc"])
    assert len(text_digest(["a"])) == 32 and len(text_digest(["a"], size_bytes=8)) == 16
