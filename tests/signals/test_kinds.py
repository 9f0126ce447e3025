"""All sixteen kinds of signals: observed, not observed, true before, and background."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_args

import pytest
from msgspec import UNSET

from tests.graph.pages import Page, grid
from tests.signals.tab import OURS, Change, Tab, node
from uiap.signals.registry import SIGNAL_FAMILIES
from uiap.signals.route import matches_pattern
from uiap.spec import capability as c
from uiap.spec import web as w

NAME = c.SemanticRef(role="textbox", name="Name")


def page() -> Page:
    """f0e1 form, f0e2 Name, f0e3 Public, f0e4 status, f0e5 table, then its rows."""
    made = Page("/videos/new")
    form = made.scope("form", "Details")
    made.element("textbox", "Name", scope_id=form, state={"text_value": ""})
    made.element("checkbox", "Public", scope_id=form, state={"checked": False})
    made.element("status", scope_id=form, text="")
    table = made.element("table", "Videos")
    made.collections.append(
        w.CollectionNode(collection_id="c1", owner_instance_id=table, role="table", count=2)
    )
    return made


def count(number: int) -> Change:
    def change(made: Page) -> None:
        made.collections[0] = w.CollectionNode(
            collection_id="c1", owner_instance_id="f0e5", role="table", count=number
        )

    return change


def route(path: str) -> Change:
    return lambda made: setattr(made, "route", w.RouteInfo(url=f"http://app.test{path}", path=path))


def dialog(made: Page) -> None:
    made.scope("dialog", "Really?", stable_id="ask")


def without_dialog(made: Page) -> None:
    made.elements = [e for e in made.elements if e.role != "dialog"]
    made.scopes = [s for s in made.scopes if s.kind != "dialog"]


def button(made: Page) -> None:
    made.element("button", "Undo", instance_id="f0e99", stable_id="undo")


def without_button(made: Page) -> None:
    made.elements = [e for e in made.elements if e.instance_id != "f0e99"]


@dataclass(frozen=True)
class Case:
    signal: c.SuccessSignal
    change: Change | None = None
    page_signal: w.WebSignal | None = None
    other: w.WebSignal | Change | None = None
    """A similar change that is another signal."""
    first: Change | None = None
    end_state: bool = False


CASES: tuple[Case, ...] = (
    Case(c.ElementAppeared(target=c.StableIdRef(value="undo")), button, other=dialog),
    Case(
        c.ElementDisappeared(target=c.StableIdRef(value="undo")), without_button, first=button, other=dialog
    ),
    Case(
        c.ElementState(target=c.InstanceIdRef(value="f0e3"), state=c.UIState(checked=True)),
        lambda made: node(made, "f0e3", state={"checked": True}),
        other=lambda made: node(made, "f0e2", state={"text_value": "x"}),
        end_state=True,
    ),
    Case(
        c.ValueEquals(target=NAME, value="Ada"),
        lambda made: node(made, "f0e2", state={"text_value": "Ada"}),
        other=lambda made: node(made, "f0e2", state={"text_value": "Ad"}),
        end_state=True,
    ),
    Case(c.RouteChanged(pattern="/videos/:id"), route("/videos/7"), other=route("/videos/7/edit")),
    Case(c.DialogOpened(target=c.ScopeRef(value="ask")), dialog, other=button),
    Case(c.DialogClosed(), without_dialog, first=dialog, other=button),
    Case(
        c.ToastContains(text="saved"),
        page_signal=w.ToastShownSignal(text="Video SAVED"),
        other=w.ToastShownSignal(text="x"),
    ),
    Case(
        c.StatusContains(text="saved"),
        lambda made: node(made, "f0e4", text="All saved"),
        other=lambda made: node(made, "f0e4", text="Saving"),
        end_state=True,
    ),
    Case(
        c.ValidationNone(),
        lambda made: node(made, "f0e2", state={"invalid": UNSET}),
        first=lambda made: node(made, "f0e2", state={"invalid": True}),
        other=button,
        end_state=True,
    ),
    Case(
        c.CollectionCount(target=c.InstanceIdRef(value="f0e5"), op="gte", value=3),
        count(3),
        other=count(1),
        end_state=True,
    ),
    Case(
        c.EntityCreated(entity_type="video"),
        page_signal=w.EntityCreatedSignal(entity_type="video"),
        other=w.EntityCreatedSignal(entity_type="user"),
    ),
    Case(
        c.EntityUpdated(entity_type="video"),
        page_signal=w.EntityUpdatedSignal(entity_type="video"),
        other=w.EntityCreatedSignal(entity_type="video"),
    ),
    Case(
        c.EntityDeleted(entity_type="video"),
        page_signal=w.EntityDeletedSignal(entity_type="video"),
        other=w.EntityDeletedSignal(entity_type="user"),
    ),
    Case(
        c.NetworkResponse(url_pattern="*/videos*"),
        page_signal=w.NetworkResponseSignal(url="http://app.test/videos", status=201),
        other=w.NetworkResponseSignal(url="http://app.test/videos", status=500),
    ),
    Case(
        c.CustomSuccess(name="saved", payload={"id": 7}),
        page_signal=w.CustomSignal(name="saved", payload={"id": 7, "by": "ada"}),
        other=w.CustomSignal(name="saved", payload={"id": 8}),
    ),
)
IDS = [case.signal.kind for case in CASES]


def opened(case: Case) -> Tab:
    tab = Tab(page())
    if case.first is not None:
        tab.shows(case.first)
        tab.now += 3.0  # long enough ago to be no background change
    return tab.acts(case.signal)


def happens(tab: Tab, what: w.WebSignal | Change | None, token: str | None = None) -> Tab:
    assert what is not None
    return tab.shows(what, token) if callable(what) else tab.says(what, token)


def test_every_kind_of_the_spec_has_its_family_and_its_case() -> None:
    kinds = {one.__struct_config__.tag for one in get_args(c.SuccessSignal)}
    assert kinds == set(SIGNAL_FAMILIES) == set(IDS)
    assert len(kinds) == 16


@pytest.mark.requirement("ACT-6.3", "CAP-9")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_an_effect_of_our_input_is_evidence(case: Case) -> None:
    tab = opened(case)
    assert not tab.verdict().evidence
    verdict = happens(tab, case.change or case.page_signal, OURS).verdict()
    assert verdict.holds and verdict.evidence and verdict.attribution in ("caused", "coincident")


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_similar_event_is_no_evidence(case: Case) -> None:
    tab = opened(case)
    assert not happens(tab, case.other, OURS).verdict().holds


@pytest.mark.requirement("ACT-6.3")
@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_a_state_that_held_before_is_no_evidence(case: Case) -> None:
    tab = Tab(page())
    if case.first is not None:
        tab.shows(case.first)
    happens(tab, case.change or case.page_signal)
    tab.now += 3.0
    verdict = tab.acts(case.signal).verdict()
    assert not verdict.evidence
    assert verdict.holds == verdict.already == case.end_state


@pytest.mark.parametrize("case", [c for c in CASES if c.change is None and hasattr(c.page_signal, "text")])
def test_a_text_that_comes_by_itself_is_background(case: Case) -> None:
    tab = happens(Tab(page()), case.page_signal)
    tab.now += 0.5
    verdict = happens(tab.acts(case.signal), case.page_signal).verdict()
    assert verdict.holds and not verdict.evidence and verdict.attribution == "background"


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.end_state and c.first is None], ids=lambda c: c.signal.kind
)
def test_a_state_that_flickers_by_itself_is_background(case: Case) -> None:
    assert case.change is not None and callable(case.other)
    tab = Tab(page())
    for _ in range(2):
        tab.shows(case.change, after=0.1).shows(case.other, after=0.1)
    verdict = tab.acts(case.signal).shows(case.change, after=0.1).verdict()
    assert verdict.holds and not verdict.evidence


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/videos/:id", "/videos/7", True),
        ("/videos/:id", "/videos/", False),
        ("/videos/*", "/videos/7", True),
        ("/videos/**", "/videos/7/edit", True),
        ("/videos/**", "/users", False),
        ("/videos", "/videos/7", False),
    ],
)
def test_route_patterns_follow_the_grammar(pattern: str, path: str, fits: bool) -> None:
    tab = Tab(Page("/")).acts(c.RouteChanged(pattern=pattern)).shows(route(path), OURS)
    assert tab.verdict().holds is fits


def test_a_new_document_that_we_asked_for_is_a_caused_route() -> None:
    tab = Tab(page()).acts(c.RouteChanged()).loads(grid(1))
    assert tab.verdict(navigating=True).attribution == "caused"
    assert tab.verdict().attribution == "coincident"


def test_a_returned_id_is_proof_of_a_created_entity() -> None:
    tab = Tab(page()).acts(c.EntityCreated(entity_type="video", id_path="video.id"))
    tab.watch.returned({"video": {"id": "v7"}})
    assert tab.verdict().attribution == "caused"


def issue(scope: str) -> w.ValidationChangedSignal:
    return w.ValidationChangedSignal(scope_id=scope, errors=())


NARROWED: list[tuple[str, c.SuccessSignal, w.WebSignal | Change, w.WebSignal | Change]] = [
    ("pattern", c.RouteChanged(pattern="/videos/:id"), route("/videos/7"), route("/users/7")),
    ("exact", c.RouteChanged(exact="/videos/7"), route("/videos/7"), route("/videos/8")),
    (
        "target",
        c.DialogOpened(target=c.StableIdRef(value="ask")),
        dialog,
        lambda made: made.scope("dialog", "Other", stable_id="other") and None,
    ),
    ("scope", c.ValidationNone(scope="form1"), issue("form1"), issue("form2")),
    (
        "urlPattern",
        c.NetworkResponse(url_pattern="*/save*"),
        w.NetworkResponseSignal(url="http://a.test/save?n=1", method="POST", status=200),
        w.NetworkResponseSignal(url="http://a.test/load", method="GET", status=200),
    ),
    (
        "status",
        c.NetworkResponse(status=201),
        w.NetworkResponseSignal(url="http://a.test/save", method="POST", status=201),
        w.NetworkResponseSignal(url="http://a.test/save", method="POST", status=200),
    ),
    (
        "payload",
        c.CustomSuccess(name="sync", payload={"count": 2}),
        w.CustomSignal(name="sync", payload={"count": 2, "more": 1}),
        w.CustomSignal(name="sync", payload={"count": 3}),
    ),
    (
        "idPath",
        c.EntityDeleted(entity_type="video", id_path="video.id"),
        w.EntityDeletedSignal(entity_type="video", data={"video": {"id": "v7"}}),
        w.EntityDeletedSignal(entity_type="video", id="v7"),
    ),
]


@pytest.mark.requirement("CAP-9d")
@pytest.mark.parametrize(
    ("signal", "fits", "other"), [one[1:] for one in NARROWED], ids=[one[0] for one in NARROWED]
)
def test_each_optional_member_of_a_signal_narrows_the_match(
    signal: c.SuccessSignal, fits: w.WebSignal | Change, other: w.WebSignal | Change
) -> None:
    assert happens(Tab(page()).acts(signal), fits, OURS).verdict().evidence
    assert not happens(Tab(page()).acts(signal), other, OURS).verdict().evidence


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("/issue*", "/issue21", True),
        ("/issue*", "/issue", False),
        ("/issue*", "/issue/21", False),
        ("/:id/*", "/a/b", True),
        ("/a/**", "/a/b/c", True),
        ("/issue*", "/login", False),
    ],
)
def test_a_star_stands_for_one_segment_or_its_end(pattern: str, path: str, fits: bool) -> None:
    assert matches_pattern(pattern, path) is fits
