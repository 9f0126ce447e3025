"""Records of one kind and pages of one template are one state; pages with other columns or fields are not."""

from __future__ import annotations

from typing import cast

import pytest

from tests.discovery.simulated_app import BASE, Element, Page, SimulatedApp, explore
from uiap.discovery.knowledge.siblings import Siblings
from uiap.discovery.knowledge.states import State
from uiap.graph.store import GraphStore
from uiap.spec.discovery import DiscoveryPackage

HOME = Element("link", "Home", href="/")


def link(path: str) -> Element:
    return Element("link", f"To {path}", href=path)


def routes(package: DiscoveryPackage) -> list[str]:
    return [
        str(one.metadata["url"]).split("/", 3)[3] for one in package.transition_graph.states if one.metadata
    ]


class KnownState:
    principal, id = None, "st_1"

    def __init__(self, url: str) -> None:
        self.url = url


def page_at(path: str, *elements: Element) -> GraphStore:
    app = SimulatedApp({path: Page((HOME, *elements), title=path)})
    app.load(BASE + path)
    return GraphStore(app.graph())


def explored(pages: dict[str, tuple[Element, ...]]) -> list[str]:
    """Return the addresses of the states of an application whose home page leads to every page."""
    home = Page((*map(link, pages), Element("button", "View news")), title="Home")
    shown = {path: Page((HOME, *elements), title=path) for path, elements in pages.items()}
    package, _, _ = explore({"/": home, **shown})
    return sorted(routes(package))


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("pages", "states"),
    [
        pytest.param(
            {
                "/kb/lamps": (Element("button", "View votes"), Element("link", "Lamp", href="/kb/lamps")),
                "/kb/printers": (
                    Element("button", "View votes"),
                    Element("link", "Ink", href="/kb/printers"),
                ),
            },
            ["", "kb/lamps"],
            id="the template has a control of its own",
        ),
        pytest.param(
            {
                "/kb/lamps": (Element("button", "View votes"),),
                "/kb/printers": (Element("button", "View printers"),),
            },
            ["", "kb/lamps", "kb/printers"],
            id="another button",
        ),
        pytest.param(
            {
                "/profile/orders": (Element("textbox", "Order"),),
                "/profile/mails": (Element("textbox", "Mail"),),
            },
            ["", "profile/mails", "profile/orders"],
            id="another field",
        ),
        pytest.param(
            {"/about/team": (), "/about/jobs": ()},
            ["", "about/jobs", "about/team"],
            id="two pages without a control of their own",
        ),
        pytest.param(
            {"/team": (Element("button", "View map"),), "/jobs": (Element("button", "View map"),)},
            ["", "jobs", "team"],
            id="pages without a common parent",
        ),
    ],
)
def test_pages_of_one_parent_with_the_same_template_are_one_state(
    pages: dict[str, tuple[Element, ...]], states: list[str]
) -> None:
    assert explored(pages) == states


@pytest.mark.requirement("DISC-11.3b")
def test_the_third_page_of_one_parent_that_only_has_what_every_page_has_is_no_further_state() -> None:
    names = ("user", "queue", "status", "month", "year")
    menu = tuple(link(f"/reports/{name}") for name in names)
    pages = {f"/reports/{name}": Page(menu, title=name) for name in names}
    package, app, _ = explore({"/": Page(menu, title="Home"), **pages})
    assert len(package.transition_graph.states) == 3
    assert len(app.loaded) < len(names) + 2


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("second", "is_same"),
    [
        ((Element("button", "View log"),), True),
        ((Element("button", "View log"), Element("button", "View files")), True),
        ((), True),
        ((Element("button", "View people"),), True),
    ],
)
def test_the_address_of_a_record_tells_its_kind_whatever_else_it_offers(
    second: tuple[Element, ...], is_same: bool
) -> None:
    siblings, known = Siblings(), cast(State, KnownState(f"{BASE}/items/3"))
    siblings.add(known, page_at("/items/3", Element("button", "View log")))
    assert siblings.find(None, page_at("/items/4", *second)) is (known if is_same else None)


@pytest.mark.requirement("DISC-11.3b")
def test_pages_below_two_records_with_names_are_one_state() -> None:
    records = {
        f"/kits/{name}": (Element("button", "View votes"), link(f"/kits/{name}/parts")) for name in ("a", "b")
    }
    parts = {f"/kits/{name}/parts": (Element("button", "View list"),) for name in ("a", "b")}
    assert explored({**records, **parts}) == ["", "kits/a", "kits/a/parts"]


def with_pages_below(name: str, *below: str, columns: tuple[str, ...] = ()) -> GraphStore:
    heads = (Element("cell", one, more={"metadata": {"header": "column"}}) for one in columns)
    return page_at(f"/{name}", *(link(f"/{name}/{one}") for one in below), *heads)


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (with_pages_below("chairs", "orders", "files", "log"), True),
        (with_pages_below("chairs", "orders"), False),
        (with_pages_below("chairs", "orders", "people"), False),
        (with_pages_below("chairs", "orders", "files", columns=("Price",)), False),
    ],
)
def test_pages_with_the_same_pages_below_them_and_the_same_columns_are_records(
    other: GraphStore, is_same: bool
) -> None:
    siblings, known = Siblings(), cast(State, KnownState(f"{BASE}/lamps"))
    siblings.add(known, with_pages_below("lamps", "orders", "files"))
    assert siblings.find(None, other) is (known if is_same else None)


@pytest.mark.requirement("DISC-11.3b")
def test_a_page_below_a_record_with_a_name_stands_for_those_of_the_other_records() -> None:
    names = ("lamps", "chairs")
    pages = {f"/{name}": (link(f"/{name}/orders"), link(f"/{name}/files")) for name in names}
    below = {
        f"/{name}/{one}": (Element("button", f"View {one}"),) for name in names for one in ("orders", "files")
    }
    assert explored({**pages, **below, "/about": (), "/about/team": ()}) == [
        *("", "about", "about/team", "lamps", "lamps/files", "lamps/orders")
    ]


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("notes", "is_same"),
    [("View notes", True), ("View people", False), (None, False)],
    ids=["another page is equal", "another page differs", "no other page is known"],
)
def test_a_page_below_a_record_is_known_once_another_page_of_both_is_equal(
    notes: str | None, is_same: bool
) -> None:
    parts, siblings = Element("button", "View list"), Siblings()
    known = {path: cast(State, KnownState(BASE + path)) for path in ("/kits/a/notes", "/kits/a/parts")}
    siblings.add(known["/kits/a/notes"], page_at("/kits/a/notes", Element("button", "View notes")))
    siblings.add(known["/kits/a/parts"], page_at("/kits/a/parts", parts))
    if notes is not None:
        other = cast(State, KnownState(f"{BASE}/kits/b/notes"))
        siblings.add(other, page_at("/kits/b/notes", Element("button", notes)))
    found = siblings.find(None, page_at("/kits/b/parts", parts))
    assert found is (known["/kits/a/parts"] if is_same else None)


def found_by_link(pages: tuple[tuple[str, tuple[Element, ...]], tuple[str, tuple[Element, ...]]]) -> bool:
    """Whether the second page is a record of the same kind as the first, if the same link leads to both."""
    siblings, (known, other) = Siblings(), pages
    state = cast(State, KnownState(BASE + known[0]))
    siblings.add(state, page_at(known[0], *known[1]))
    siblings.add_link("View articles", state)
    assert siblings.find(None, page_at(other[0], *other[1]), "Another link") is None
    return siblings.find(None, page_at(other[0], *other[1]), "View articles") is state


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("/kb/lamps", "/kb/printers", True),
        ("/kits/a/parts", "/kits/b/parts", True),
        ("/kits/a/parts", "/kits/b/tools", False),
        ("/kits/a", "/kits/b/tools", False),
        ("/lamps", "/printers", False),
    ],
)
def test_pages_that_links_of_the_same_words_lead_to_are_records(one: str, other: str, is_same: bool) -> None:
    assert (
        found_by_link(((one, (Element("button", "Ada"),)), (other, (Element("button", "Ben"),)))) is is_same
    )


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(
    ("path", "shown", "is_same"),
    [
        ("/kits/bucket", Element("button", "Ben"), True),
        ("/kits/bucket", Element("textbox", "Name"), False),
        ("/people/ada", Element("button", "Ben"), False),
        ("/kits/@garden/bean/edit", Element("button", "Ben"), False),
    ],
)
def test_the_names_of_the_records_of_a_list_may_have_several_parts(
    path: str, shown: Element, is_same: bool
) -> None:
    siblings, state = Siblings(), cast(State, KnownState(f"{BASE}/kits/@garden/bean"))
    siblings.add(state, page_at("/kits/@garden/bean", Element("button", "Ada")))
    siblings.add_link("kits|record link", state)
    assert siblings.find(None, page_at(path, shown), "kits|record link") is (state if is_same else None)


@pytest.mark.requirement("DISC-11.3b")
def test_pages_with_other_fields_are_no_records_of_one_kind() -> None:
    one, other = (Element("textbox", "Order"),), (Element("textbox", "Mail"),)
    assert found_by_link((("/profile/orders", one), ("/profile/mails", other))) is False


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(("kind", "count"), [("issue", 2), ("step", 5)])
def test_records_with_a_name_and_a_number_are_one_state(kind: str, count: int) -> None:
    pages = {
        f"/{kind}{n}": (Element("button", "View log"), Element("link", f"Note {n}")) for n in range(1, 5)
    }
    assert len(explored(pages)) == count


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize(("menu", "count"), [((), 2), ((link("/manual/c"),), 3)])
def test_the_third_article_of_a_manual_is_no_further_state_unless_a_menu_names_it(
    menu: tuple[Element, ...], count: int
) -> None:
    names = ("a", "b", "c")
    index = tuple(link(f"/manual/{name}") for name in names)
    articles = {f"/manual/{name}": (*index, link(f"/elsewhere/{name}")) for name in names}
    siblings = Siblings()
    for path, elements in {"/": (link("/manual"), *menu), "/manual": index}.items():
        siblings.add(cast(State, KnownState(BASE + path)), page_at(path, *elements))
    new = 0
    for path, elements in articles.items():
        if siblings.find(None, page_at(path, *elements)) is None:
            siblings.add(cast(State, KnownState(BASE + path)), page_at(path, *elements))
            new += 1
    assert new == count


def test_pages_below_a_record_do_not_tell_it_from_another_record() -> None:
    """The versions of a package show the tabs of the package too."""
    siblings = Siblings()
    tabs = (Element("tab", "Readme"), Element("tab", "Versions"))
    for path in ("/news", "/packages/bean", "/packages/bean/v/first"):
        own = (Element("button", "View news"),) if path == "/news" else tabs
        siblings.add(cast(State, KnownState(BASE + path)), page_at(path, *own))
    found = siblings.find(None, page_at("/packages/tomato", *tabs))
    assert found is not None and found.url == f"{BASE}/packages/bean"
