"""find: ranking, `near`, confidence, and no match in a wrong row."""

import pytest

from tests.graph.pages import Page, grid
from uiap.graph.query import by_role_name, find, scopes_named
from uiap.graph.store import GraphStore


def shop() -> GraphStore:
    page = Page()
    main = page.scope("region", "Shop")
    page.element("button", "Save *", scope_id=main)
    page.element("button", "Save", scope_id=main)
    page.element("cell", text="Save", scope_id=main)
    page.element("link", "Save for later", scope_id=main)
    page.element("button", "Saver", scope_id=main)
    page.element(
        "textbox", "Coupon", scope_id=main, state={"text_value": "SPRING"}, description="save with a code"
    )
    page.element("textbox", "Card", scope_id=main, state={"text_value": "4111", "sensitive": True})
    page.element("button", "Save", scope_id=main, state={"visible": False})
    billing = page.scope("form", "Billing address", parent=main)
    page.element("textbox", "City", scope_id=billing)
    shipping = page.scope("form", "Shipping address", parent=main)
    page.element("textbox", "City", scope_id=shipping)
    return GraphStore(page.graph())


RANKINGS = [
    ("save", {}, ["f0e3", "f0e2", "f0e4", "f0e5", "f0e7"]),
    ("save", {"role": "link"}, ["f0e5"]),
    ("SPRING", {}, ["f0e7"]),
    ("4111", {}, []),
    ("city", {"scope": "Shipping address"}, ["f0e13"]),
    ("city", {"near": "billing address"}, ["f0e11"]),
    ("city", {"near": "nowhere"}, []),
    ("coup", {}, ["f0e7"]),
    ("nothing of this", {}, []),
    ("", {"role": "textbox", "scope": "f0s2"}, ["f0e11"]),
]


@pytest.mark.requirement("MDM-R2", "ACT-3.3")
@pytest.mark.parametrize(("text", "options", "refs"), RANKINGS)
def test_matches_come_best_first_and_hidden_or_secret_ones_not_at_all(
    text: str, options: dict[str, str], refs: list[str]
) -> None:
    assert [match.instance_id for match in find(shop(), text, **options)] == refs  # type: ignore[arg-type]


@pytest.mark.requirement("MDM-R2")
def test_equal_matches_share_the_confidence_and_the_reason_names_their_number() -> None:
    store = shop()
    (best, *_) = find(store, "save", role="button")
    assert (best.confidence, best.reason) == (1.0, "name equal")
    cities = find(store, "city")
    assert [match.confidence for match in cities] == [0.5, 0.5]
    assert cities[0].reason == "name equal; one of 2 alike"


@pytest.mark.requirement("MDM-R2")
@pytest.mark.parametrize("number", [0, 1, 5, 57, 999])
def test_near_finds_the_control_of_exactly_that_record(number: int) -> None:
    store = GraphStore(grid(1_000).graph())
    (match,) = find(store, "Delete", role="button", near=f"user-{number}")
    assert match.record == f"text:user-{number}"
    assert match.confidence == 1.0


def test_near_also_matches_a_cell_of_the_record() -> None:
    store = GraphStore(grid(30).graph())
    (match,) = find(store, "Edit", near="user7@example.test")
    assert match.record == "text:user-7"


def test_words_over_element_and_record_are_found_when_nothing_matches_alone() -> None:
    best = find(GraphStore(grid(12).graph()), "delete user-11")[0]
    assert (best.name, best.record) == ("Delete", "text:user-11")


def test_of_the_elements_of_a_record_the_one_with_the_first_word_is_meant() -> None:
    page = Page()
    for number in range(3):
        row = page.element("row", metadata={"entity": f"video:{number}"})
        page.element("link", f"Security basics {number}", parent_instance_id=row)
        page.element("button", "Delete", parent_instance_id=row)
    (best, *_) = find(GraphStore(page.graph()), "delete security basics 1")
    assert (best.name, best.record) == ("Delete", "video:1")


def test_a_look_alike_name_is_listed_last_with_a_reason() -> None:
    page = Page()
    page.element("button", "Cаncel")
    page.element("button", "Cancel")
    real, fake = find(GraphStore(page.graph()), "Cancel")
    assert (real.instance_id, real.confidence) == ("f0e2", 1.0)
    assert fake.confidence == 0.2
    assert "another script" in fake.reason


def test_equal_matches_come_in_document_order_however_the_delta_brought_them() -> None:
    store = GraphStore(grid(40).graph())
    order = [element.instance_id for element in store]
    found = [match.instance_id for match in find(store, "Delete", limit=40)]
    assert found == sorted(found, key=order.index)


@pytest.mark.requirement("CAP-3")
def test_a_semantic_reference_yields_its_candidates_with_their_level() -> None:
    store = shop()
    found = by_role_name(store, "button", "Save", scope="f0s1")
    assert [(element.instance_id, level) for element, level in found] == [("f0e2", 0.9), ("f0e3", 1.0)]
    assert by_role_name(store, "button", "Save", document="f9") == []
    assert [one.instance_id for one, _ in by_role_name(store, "textbox", scope="f0s2")] == ["f0e11"]
    named = by_role_name(store, "textbox", "City", scope="Shipping address")
    assert [one.instance_id for one, _ in named] == ["f0e13"]


@pytest.mark.requirement("CAP-3")
def test_a_text_box_is_also_a_text_area_but_an_equal_role_comes_first() -> None:
    page = Page()
    page.element("textarea", "Comment")
    page.element("searchbox", "Search")
    page.element("textarea", "Title")
    page.element("textbox", "Title")
    store = GraphStore(page.graph())
    for name in ("Comment", "Search"):
        assert [one.name for one, _ in by_role_name(store, "textbox", name)] == [name]
        assert [match.name for match in find(store, name, role="textbox")] == [name]
    assert [one.role for one, _ in by_role_name(store, "textbox", "Title")] == ["textbox"]
    assert by_role_name(store, "textarea", "Search") == []


def test_scopes_are_named_by_id_stable_id_or_name() -> None:
    page = Page()
    page.scope("form", "Billing", stable_id="billing.form")
    store = GraphStore(page.graph())
    for wanted in ("f0s1", "billing.form", "billing"):
        assert [scope.scope_id for scope in scopes_named(store, wanted)] == ["f0s1"]
    assert scopes_named(store, "other") == []


@pytest.mark.parametrize(
    ("role", "name", "refs"),
    [
        ("cell", "save", [("f0e4", 0.9)]),
        ("cell", "sav", []),
        ("button", "save", [("f0e2", 0.9), ("f0e3", 1.0)]),
        ("link", "save", [("f0e5", 0.6)]),
    ],
)
def test_a_role_and_name_also_mean_the_whole_text_of_an_element_without_a_name(
    role: str, name: str, refs: list[tuple[str, float]]
) -> None:
    found = by_role_name(shop(), role, name)
    assert [(element.instance_id, level) for element, level in found] == refs


def test_a_field_without_a_name_is_found_by_the_text_beside_it() -> None:
    page = Page()
    page.element("textbox", None, metadata={"beside": "Title:"})
    page.element("textbox", None, metadata={"beside": "Subtitle"})
    store = GraphStore(page.graph())
    (title,) = [one.instance_id for one, _ in by_role_name(store, "textbox", "Title")]
    assert store.elements[title].metadata["beside"] == "Title:"
    assert find(store, "Subtitle")[0].element.metadata["beside"] == "Subtitle"
    page.element("textbox", "Title")
    (named,) = [one for one, _ in by_role_name(GraphStore(page.graph()), "textbox", "Title")]
    assert named.name == "Title"


def test_near_takes_the_text_beside_a_control_before_its_scope() -> None:
    page = Page()
    page.element("button", "Delete", metadata={"beside": "Alpha 12 items"})
    page.element("button", "Delete", metadata={"beside": "Beta 3 items"})
    page.element("label", "Alpha")
    found = find(GraphStore(page.graph()), "Delete", near="Alpha")
    assert [one.element.metadata["beside"] for one in found] == ["Alpha 12 items"]
    assert "beside that text" in found[0].reason
