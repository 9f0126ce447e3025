"""The judgement of gestures: two actions with one gesture get one decision, for every control."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.policy.corpus import labels
from uiap.actions.ops import Select
from uiap.actions.registry import ACTIONS
from uiap.policy.builtin import BuiltIn, policy_set
from uiap.policy.control import PICK_ROLES, label_of
from uiap.policy.lexicon import meaning_of
from uiap.policy.routine import submits
from uiap.runtime.gesture import gesture_risk, option_labels
from uiap.runtime.permission import PermissionRequest, appraise_request, policy_request
from uiap.runtime.resolve import Candidate, Resolved, ScoredCandidate
from uiap.runtime.surroundings import Surroundings
from uiap.spec.capability import UI_AFFORDANCES, UI_ROLES, RiskDescriptor
from uiap.spec.policy import POLICY_EFFECTS, POLICY_GRANTS, PolicyPrincipal
from uiap.spec.web import ElementNode, WebElementState

AGENT = PolicyPrincipal(type="agent", id="eve", grants=POLICY_GRANTS)
SURFACES = ("dialog", "drawer", "popover", "menu", "listbox", "alert", "toast")
PRESSES: dict[str, tuple[dict[str, Any], ...]] = {
    "ui.open": ({},),
    "ui.close": ({},),
    "ui.expand": ({},),
    "ui.collapse": ({},),
    "ui.toggle": ({}, {"checked": True}),
    "ui.choose": ({},),
    "ui.submit": ({},),
    "ui.upload": ({"files": ["a.txt"]},),
    "x.uiap.doubleActivate": ({},),
    "x.uiap.secondaryActivate": ({},),
    "x.uiap.longPress": ({},),
    "x.uiap.pinch": ({"scale": 2},),
    "x.uiap.drag": ({"dx": 5},),
    "x.uiap.press": ({"key": "Enter"}, {"key": " "}, {"key": "Control+Enter"}),
    "ui.enterText": ({"text": "a"},),
    "ui.clearText": ({},),
    "ui.setValue": ({"value": 3},),
}
"""The actions that act on their target, with arguments."""
PASSIVE = {
    "ui.read",
    "ui.focus",
    "ui.hover",
    "ui.highlight",
    "ui.scroll",
    "ui.scrollIntoView",
    "nav.navigate",
    "app.invoke",
}
NAMES = [label for _, label in (*labels("tuning"), *labels("harmless"))] + ["Slet", "ลบ", "", "⋮"]

booleans = st.none() | st.booleans()
elements = st.builds(
    lambda role, name, text, flags, popup, meta, affordances, risk: ElementNode(
        instance_id="e1",
        document_id="d1",
        role=role,
        name=name,
        **({"text": text} if text else {}),
        state=WebElementState(
            **{key: value for key, value in flags.items() if value is not None},
            **({"has_popup": popup} if popup else {}),
        ),
        affordances=affordances,
        metadata={key: value for key, value in meta.items() if value},
        **({"risk": RiskDescriptor(level=risk)} if risk else {}),
    ),
    st.sampled_from(UI_ROLES),
    st.sampled_from(NAMES),
    st.sampled_from(["", *NAMES]),
    st.fixed_dictionaries(
        dict.fromkeys(("expanded", "open", "checked", "pressed", "selected", "multiline"), booleans)
    ),
    st.sampled_from(["", "menu", "dialog", "listbox"]),
    st.fixed_dictionaries(
        {
            "native": st.sampled_from(["", "button", "submit", "link", "input", "summary"]),
            "href": st.sampled_from(["", "/x", "#", "javascript:"]),
            "method": st.sampled_from(["", "data-method", "onclick", "request"]),
            "handled": st.sampled_from(["", "shared"]),
        }
    ),
    st.lists(st.sampled_from(UI_AFFORDANCES), max_size=5).map(tuple),
    st.sampled_from([None, "safe", "confirm", "blocked"]),
)
places = st.builds(
    Surroundings,
    surface=st.sampled_from(["", "Delete account?", "Invite people"]),
    in_form=st.booleans(),
    in_surface=st.booleans(),
    shows_panel=st.booleans(),
    submit_label=st.sampled_from(["", "Save", "Pay now"]),
    in_dialog=st.booleans(),
    reading_form=st.booleans(),
    guarded_field=st.booleans(),
    drop_label=st.sampled_from(["", "Trash", "Delete", "Done"]),
)


def decision(
    action: str,
    args: dict[str, Any],
    element: ElementNode,
    around: Surroundings,
    rules: BuiltIn = "standard",
) -> int:
    """Return how strict the rules are about the action, as a number."""
    candidate = Candidate(element, "instanceId", 1.0, surroundings=around)
    request = PermissionRequest(
        primitive=ACTIONS[action], args=args, resolved=Resolved(ScoredCandidate(candidate, 100.0, ()))
    )
    ruling = policy_set(rules).decide(policy_request(request, appraise_request(request), AGENT))
    return POLICY_EFFECTS.index(ruling.effect)


def test_every_action_is_either_passive_or_compared_with_a_press() -> None:
    assert set(ACTIONS) == PASSIVE | set(PRESSES) | {"ui.activate"}


@settings(max_examples=120, deadline=None)
@given(element=elements, around=places, data=st.data())
def test_no_action_is_decided_more_laxly_than_a_press_on_the_same_control(
    element: ElementNode, around: Surroundings, data: st.DataObject
) -> None:
    action = data.draw(st.sampled_from(sorted(PRESSES)))
    args = data.draw(st.sampled_from(PRESSES[action]))
    if action == "ui.close" and element.role in SURFACES:
        return  # a surface is dismissed, not pressed
    assert decision(action, args, element, around) >= decision("ui.activate", {}, element, around)


@settings(max_examples=60, deadline=None)
@given(element=elements, around=places, data=st.data())
def test_assist_lets_only_questions_about_ordinary_words_go(
    element: ElementNode, around: Surroundings, data: st.DataObject
) -> None:
    action = data.draw(st.sampled_from(["ui.activate", *sorted(PRESSES)]))
    args = data.draw(st.sampled_from(PRESSES.get(action, ({},))))
    ask, assist = (
        POLICY_EFFECTS[decision(action, args, element, around, rules)] for rules in ("standard", "assist")
    )
    if ask == assist:
        return
    assert (ask, assist) == ("confirm", "allow")
    meaning = meaning_of(label_of(element))
    assert not meaning.orders and not meaning.disguise
    assert element.role in PICK_ROLES or all(hint.kind == "write" for hint in meaning.asks)
    assert not (submits(element, around.place) and around.guarded_field)


@settings(max_examples=60, deadline=None)
@given(element=elements, around=places, option=st.sampled_from(NAMES))
def test_choosing_an_option_is_judged_as_the_press_on_the_list_and_on_the_option(
    element: ElementNode, around: Surroundings, option: str
) -> None:
    pressed = element.role not in ("menu", "group", "tablist", "tree", "list", "grid", "toolbar")
    chosen = decision("ui.choose", {"label": option}, element, around)
    if pressed:
        assert chosen >= decision("ui.activate", {}, element, around)
    plain = ElementNode(
        instance_id="e2",
        document_id="d1",
        role="option",
        name=option,
        state=WebElementState(),
        affordances=(),
    )
    assert chosen >= decision("ui.activate", {}, plain, Surroundings())


@settings(max_examples=60, deadline=None)
@given(element=elements, around=places, native=st.sampled_from(["button", "submit"]))
def test_no_role_makes_a_native_button_milder(
    element: ElementNode, around: Surroundings, native: str
) -> None:
    meta = {**element.metadata, "native": native}  # type: ignore[dict-item]
    meta.pop("href", None)
    state = msgspec.structs.replace(
        element.state, expanded=msgspec.UNSET, open=msgspec.UNSET, has_popup=msgspec.UNSET
    )
    claimed = msgspec.structs.replace(element, metadata=meta, state=state)
    plain = msgspec.structs.replace(claimed, role="button", metadata={})
    if claimed.role == "tab" and around.shows_panel and native == "button":
        return  # the page shows the panel
    assert decision("ui.activate", {}, claimed, around) >= decision("ui.activate", {}, plain, around)


def test_a_value_may_stand_for_any_option_that_orders_something() -> None:
    known = ("Small", "Delete account")
    assert option_labels(Select(values=("1",), by="index"), known) == ("Delete account",)
    assert "Delete account" in option_labels(Select(values=("x",), by="value"), known)
    assert option_labels(Select(values=("Small",), by="label"), known) == ("Small",)


@pytest.mark.parametrize(
    ("key", "role", "form", "effect"),
    [
        ("Enter", "textbox", True, "data_write"),
        ("Enter", "textbox", False, "unknown"),
        ("Enter", "textarea", True, "unknown"),
        ("Enter", "button", False, "unknown"),
        ("a", "textbox", True, "draft"),
        ("a", "button", False, "unknown"),
        ("Delete", "textbox", False, "draft"),
        ("Delete", "row", False, "unknown"),
        ("ArrowDown", "slider", False, "draft"),
        ("ArrowDown", "menuitem", False, "ui_state"),
        ("Tab", "button", False, "ui_state"),
        ("Control+s", "textbox", False, "unknown"),
    ],
)
def test_a_key_is_judged_on_the_element_that_has_the_focus(
    key: str, role: str, form: bool, effect: str
) -> None:
    element = ElementNode(
        instance_id="e1", document_id="d1", role=role, name="Overview", state=WebElementState(), affordances=("edit",)
    )  # fmt: skip
    risk = gesture_risk(ACTIONS["x.uiap.press"], element, {"key": key}, Surroundings(in_form=form))
    assert risk.effect == effect


@pytest.mark.parametrize(
    ("role", "args", "routine"),
    [("listitem", {"dx": 5}, False), ("slider", {"dx": 5}, True), ("listitem", {"to": "e2"}, True)],
)
def test_a_drag_by_pixels_is_routine_only_in_its_own_place(
    role: Any, args: dict[str, Any], routine: bool
) -> None:
    one = ElementNode(
        instance_id="e1",
        document_id="d1",
        role=role,
        name="Task",
        state=WebElementState(),
        affordances=("activate",),
    )
    risk = gesture_risk(ACTIONS["x.uiap.drag"], one, args, Surroundings())
    assert risk.routine is routine
    dropped = gesture_risk(ACTIONS["x.uiap.drag"], one, args, Surroundings(drop_label="Delete"))
    assert not dropped.routine
