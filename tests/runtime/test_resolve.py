"""Target resolution: order of references, scores, confidence, containers, recreated nodes and ambiguous targets."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from tests.support.playbook import Playbook, action, button, found, press, probed, request, started
from uiap.graph.store import GraphStore
from uiap.runtime.disambiguation import distinguishing_members, explain_ambiguity
from uiap.runtime.resolve import (
    AmbiguousMatch,
    Candidate,
    Candidates,
    Resolved,
    UncertainMatch,
    gather,
    resolve,
)
from uiap.spec.action import ActionTarget
from uiap.spec.capability import CustomRef, InstanceIdRef, RiskDescriptor, SemanticRef, StableIdRef
from uiap.spec.web import (
    DocumentNode,
    DOMRectLike,
    ElementNode,
    FocusInfo,
    PageGraph,
    RouteInfo,
    ScopeNode,
    ViewportInfo,
    WebElementState,
)

ACTIVATE: Any = ("activate",)


def page(*elements: ElementNode, focus: str | None = None, scopes: tuple[str, ...] = ()) -> GraphStore:
    return GraphStore(
        PageGraph(
            model_version="0.1",
            profile="web@0.1",
            revision="rev_1",
            seq=1,
            captured_at="2026-03-26T14:00:00.000Z",
            route=RouteInfo(url="http://a.test/"),
            documents=(
                DocumentNode(
                    document_id="doc_1",
                    kind="root",
                    url="http://a.test/",
                    origin="http://a.test",
                    access="full",
                ),
            ),
            scopes=tuple(ScopeNode(scope_id=id, kind="form", document_id="doc_1") for id in scopes),
            elements=elements,
            focus=FocusInfo(target=focus) if focus else UNSET,
            viewport=ViewportInfo(width=300, height=400),
        )
    )


def meant(
    store: GraphStore, target: ActionTarget, action_id: str = "ui.activate", hinted: tuple[str, ...] = ()
) -> Any:
    return resolve(target, gather(store, target, affordances=ACTIVATE, hinted=hinted), action_id)


def chosen(store: GraphStore, **target: Any) -> str:
    answer = meant(store, ActionTarget(**target))
    assert isinstance(answer, Resolved), answer
    return answer.winner.candidate.element.instance_id


SAVE = SemanticRef(role="button", name="Save")
AT = DOMRectLike


@pytest.mark.requirement("ACT-8.1")
def test_a_stable_id_comes_first_then_semantics_then_annotations_then_hints() -> None:
    app = page(
        button("Save", "by_name"),
        button("Store", "by_id", stable_id="save"),
        button("Keep", "by_meaning", meaning="video.save"),
        button("Drop", "by_hint"),
    )
    assert chosen(app, ref=StableIdRef(value="save")) == "by_id"
    assert chosen(app, ref=SAVE) == "by_name"
    assert chosen(app, ref=StableIdRef(value="video.save")) == "by_meaning"
    hinted = meant(app, ActionTarget(ref=CustomRef(value="css:#drop")), hinted=("by_hint",))
    assert hinted.winner.candidate.by == "runtimeHint"
    assert hinted.winner.candidate.element.instance_id == "by_hint"
    both = page(button("Save", "a", meaning="save"), button("Save", "b", stable_id="save"))
    assert chosen(both, ref=StableIdRef(value="save")) == "b", (
        "annotations are asked only where no id is found"
    )


@pytest.mark.requirement("ACT-8.1")
def test_expectations_of_a_target_are_conditions() -> None:
    app = page(button("Save", "in_form", scope_id="form"), button("Save", "outside"), scopes=("form",))
    assert chosen(app, ref=SAVE, expected_scope_id="form") == "in_form"
    gone = meant(app, ActionTarget(ref=InstanceIdRef(value="in_form"), expected_name="Delete"))
    assert gone.reason == "nothing on the page fits"


@pytest.mark.requirement("ACT-8.2a", "ACT-3.3")
@pytest.mark.parametrize(
    ("better", "reason"),
    [
        ({"default_action": "ui.activate"}, "its declared default action"),
        ({"name": "Save"}, "name at 1"),
    ],
)
def test_each_feature_counts(better: dict[str, Any], reason: str) -> None:
    plain = button("Save as", "plain")
    good = button(**{"name": "Save as", "id": "good", **better})
    answer = meant(page(plain, good), ActionTarget(ref=SAVE))
    assert isinstance(answer, Resolved)
    assert answer.winner.candidate.element.instance_id == "good"
    assert reason in answer.winner.reasons


@pytest.mark.requirement("ACT-8.1e")
@pytest.mark.parametrize("hint", ["css:#drop", "xpath://button[2]"])
def test_a_hint_is_used_only_where_the_expected_role_and_name_find_nothing(hint: str) -> None:
    app = page(button("Save", "by_name"), button("Drop", "by_hint"))
    named = ActionTarget(ref=CustomRef(value=hint), expected_role="button", expected_name="Save")
    won = meant(app, named, hinted=("by_hint",)).winner.candidate
    assert (won.element.instance_id, won.by) == ("by_name", "semantic")
    two = page(button("Save", "a"), button("Save", "b"), button("Drop", "by_hint"))
    assert isinstance(meant(two, named, hinted=("by_hint",)), AmbiguousMatch)
    alone = msgspec.structs.replace(named, expected_name=UNSET)
    assert meant(app, alone, hinted=("by_hint",)).winner.candidate.by == "runtimeHint"


def _alone(feature: str) -> tuple[Candidate, Candidate]:
    """Return two candidates that differ in one feature; the first one has it."""
    members: dict[str, dict[str, Any]] = {
        "scope": {"in_scope": True},
        "role": {"element": button("Save", "a")},
        "name": {"name_level": 1.0},
        "stableId": {"by": "stableId"},
        "proximity": {"proximity": 1.0},
        "defaultAction": {"element": button("Save", "a", default_action="ui.activate")},
    }
    role = "link" if feature == "role" else "button"
    first = Candidate(button("Save", "a"), "semantic", 0.5)
    other = msgspec.structs.replace(first, element=button("Save", "b", role=role))
    return msgspec.structs.replace(first, **members[feature]), other


@pytest.mark.requirement("ACT-8.2c", "ACT-8.2a")
@pytest.mark.parametrize("feature", ["scope", "role", "name", "stableId", "proximity", "defaultAction"])
def test_each_feature_alone_decides_between_two_candidates(feature: str) -> None:
    better, other = _alone(feature)
    target = ActionTarget(ref=SAVE, expected_scope_id="form")
    for order in ((better, other), (other, better)):
        answer = resolve(target, Candidates(order), "ui.activate")
        assert isinstance(answer, Resolved), feature
        assert answer.winner.candidate.element.instance_id == "a"
    twins = (other, msgspec.structs.replace(other, element=button("Save", "c", role=other.element.role)))
    assert isinstance(resolve(target, Candidates(twins), "ui.activate"), AmbiguousMatch)


@pytest.mark.requirement("ACT-8.2a")
def test_nearness_to_the_focus_does_not_decide_within_a_part_of_the_page() -> None:
    near = button("Save", "near", bbox=AT(x=10, y=10, width=20, height=10))
    far = button("Save", "far", bbox=AT(x=200, y=180, width=20, height=10))
    field = button("Title", "field", role="textbox", bbox=AT(x=10, y=10, width=20, height=10))
    answer = meant(page(far, near, field, focus="field"), ActionTarget(ref=SAVE))
    assert isinstance(answer, AmbiguousMatch)
    assert [one.candidate.element.instance_id for one in answer.candidates] == ["near", "far"]
    assert answer.candidates[0].score - answer.candidates[1].score == pytest.approx(12 * 0.51, abs=0.3)


@pytest.mark.requirement("ACT-3.3")
def test_the_same_page_and_request_give_the_same_element() -> None:
    app = page(*(button(f"Save {n}", f"e{n}") for n in range(20)), button("Save", "exact"))
    assert {chosen(app, ref=SAVE) for _ in range(5)} == {"exact"}


@pytest.mark.requirement("ACT-8.1b")
def test_an_id_that_is_gone_is_found_by_the_expected_role_and_name_with_less_confidence() -> None:
    gone = ActionTarget(ref=StableIdRef(value="old.save"), expected_role="button", expected_name="Save")
    answer = meant(page(button("Save", "b1"), button("Cancel", "b2")), gone)
    assert isinstance(answer, Resolved)
    known = meant(page(button("Save", "b1", stable_id="old.save"), button("Cancel", "b2")), gone)
    assert answer.winner.candidate.element.instance_id == "b1" and answer.winner.candidate.by == "semantic"
    assert answer.confidence < known.confidence
    unnamed = msgspec.structs.replace(gone, expected_name=UNSET)
    assert not isinstance(meant(page(button("Save", "b1")), unnamed), Resolved)


@pytest.mark.requirement("MDM-R4a")
def test_the_container_that_can_be_pressed_is_preferred_over_the_leaf_that_was_named() -> None:
    card = button("Video 7", "card", role="link", affordances=("activate",))
    label = button("Intro", "label", role="text", affordances=("read",), parent_instance_id="card")
    app = page(card, label)
    target = ActionTarget(ref=InstanceIdRef(value="label"))
    answer = meant(app, target)
    assert isinstance(answer, Resolved)
    assert answer.winner.candidate.element.instance_id == "card"
    assert "the container of label that can be acted on" in answer.winner.reasons
    read = resolve(target, gather(app, target, affordances=("read",)), "ui.read")
    assert isinstance(read, Resolved) and read.winner.candidate.element.instance_id == "label"


@pytest.mark.parametrize(("texts", "winner"), [(1, "sheet"), (2, "cell0")])
def test_a_focusable_container_of_several_texts_is_not_pressed_for_one_of_them(
    texts: int, winner: str
) -> None:
    sheet = button("", "sheet", role="custom", custom_role="x.focusable", affordances=("focus", "activate"))
    cells = [
        button("", f"cell{n}", role="cell", text=f"{n}00", affordances=("read",), parent_instance_id="sheet")
        for n in range(texts)
    ]
    answer = meant(page(sheet, *cells), ActionTarget(ref=InstanceIdRef(value="cell0")))
    assert isinstance(answer, Resolved)
    assert answer.winner.candidate.element.instance_id == winner


@pytest.mark.requirement("MDM-R4b")
@pytest.mark.parametrize(
    ("level", "name", "others", "sure"),
    [
        ("safe", "Save", 0, True),
        ("safe", None, 0, True),
        ("confirm", "Save", 0, True),
        ("confirm", None, 0, False),
        ("confirm", "Save", 1, True),
        ("blocked", "Save", 0, True),
        ("blocked", "Save now", 0, False),
    ],
)
def test_a_higher_risk_needs_a_higher_confidence(
    level: Any, name: str | None, others: int, sure: bool
) -> None:
    risky = button(name or "Delete all", "one", risk=RiskDescriptor(level=level))
    beside = [button("Save everything", f"other{n}") for n in range(others)]
    ref = SemanticRef(role="button", name="Save") if name else SemanticRef(role="button")
    answer = meant(page(risky, *beside), ActionTarget(ref=ref))
    assert isinstance(answer, Resolved if sure else UncertainMatch), answer


@pytest.mark.requirement("MDM-R4b")
def test_a_confidence_too_low_for_the_risk_is_refused_and_reported() -> None:
    risky = button("Remove", risk=RiskDescriptor(level="confirm"))
    asked = request(target=ActionTarget(ref=SemanticRef(role="button")))
    play = Playbook(action(asked)) >> started >> found(risky, level=0.0)
    play << "result failed none target_ambiguous"
    assert play.detail["reason"] == "low_confidence"
    assert play.detail["confidence"] == 0.7 < play.detail["wanted"]
    assert "name it by ref" in play.message


@pytest.mark.requirement("ACT-8.2b")
def test_distinguishing_members_are_named_the_most_stable_first() -> None:
    play = Playbook(press()) >> started
    play >> found(button(id="a", record="user:1"), button(id="b", record="user:2"))
    assert play.detail["tellApart"] == ["record", "ref"]
    assert play.detail["candidates"][1]["record"] == "user:2"
    assert "they differ in record" in play.message
    twins = Playbook(press()) >> started >> found(button(id="a"), button(id="b"))
    assert twins.detail["tellApart"] == ["ref"]
    named = meant(
        page(button("Save", "a", stable_id="x"), button("Save", "b", stable_id="y")), ActionTarget(ref=SAVE)
    )
    assert isinstance(named, AmbiguousMatch)
    assert distinguishing_members(named.candidates) == ("stableId", "ref")
    assert "stableId" in explain_ambiguity(named)[0]


@pytest.mark.requirement("ACT-8.2b")
def test_a_duplicate_id_matches_no_element() -> None:
    """H2: the one that comes first may be an impostor."""
    trusted = msgspec.structs.replace(button("Send", "b"), metadata={"duplicateStableId": "mail.send"})
    app = page(button("Send", "a", stable_id="mail.send"), trusted)
    assert isinstance(meant(app, ActionTarget(ref=StableIdRef(value="mail.send"))), AmbiguousMatch)


@pytest.mark.requirement("ACT-8.3")
def test_a_recreated_node_is_resolved_again_once_by_its_semantics() -> None:
    app = page(button("Save", "new"))
    target = ActionTarget(ref=InstanceIdRef(value="old"))
    assert meant(app, target).reason == "nothing on the page fits"
    anew = button("Save", "new")
    anew = type(anew)(
        **{name: getattr(anew, name) for name in anew.__struct_fields__} | {"metadata": {"was": "old"}}
    )
    answer = meant(page(anew), target)
    assert isinstance(answer, Resolved)
    assert answer.winner.candidate.by == "runtimeHint"
    twin = type(anew)(
        **{name: getattr(anew, name) for name in anew.__struct_fields__} | {"instance_id": "twin"}
    )
    assert meant(page(anew, twin), target).reason == "nothing on the page fits"


@pytest.mark.requirement("ACT-8.3")
def test_a_target_that_was_resolved_again_must_not_change_once_more() -> None:
    from uiap.runtime import events as when

    candidate = Candidate(button(id="new"), "runtimeHint", 1.0)
    play = Playbook(press(target=ActionTarget(ref=InstanceIdRef(value="old")))) >> started
    play >> (lambda at: when.Found(at=at, candidates=Candidates((candidate,))))
    play << "progress checking_preconditions, Probe new"
    play >> probed(attached=False) << "result failed none stale_target"


def test_an_item_around_its_own_check_is_not_a_second_target() -> None:
    words = CustomRef(value='words:{"text": "Evening"}')
    state = WebElementState(checked=False)
    item = button("Evening", "item", role="option", affordances=("read", "choose"))
    check = button(
        "Evening", "check", role="radio", affordances=("choose",), state=state, parent_instance_id="item"
    )
    assert chosen(page(item, check), ref=words) == "check"
    beside = msgspec.structs.replace(check, parent_instance_id=UNSET)
    assert isinstance(meant(page(item, beside), ActionTarget(ref=words)), AmbiguousMatch)


def test_a_copy_of_a_header_that_nobody_sees_is_no_second_target() -> None:
    press: Any = ("read", "activate")
    seen = ElementNode(
        instance_id="a",
        document_id="doc_1",
        role="cell",
        name="Age",
        affordances=press,
        state=WebElementState(),
    )
    copy = msgspec.structs.replace(seen, instance_id="b", metadata={"text": {"visible": False}})
    assert chosen(page(copy, seen), ref=SemanticRef(role="cell", name="Age")) == "a"
    assert chosen(page(copy), ref=SemanticRef(role="cell", name="Age")) == "b"
