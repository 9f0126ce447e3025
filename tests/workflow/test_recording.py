"""A recording becomes a definition: which inputs are steps, which values are parameters, which effects are proof."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from msgspec import UNSET

from uiap.spec.authoring import AnnotationMatcher, ElementBinding
from uiap.spec.capability import (
    CollectionCount,
    CustomRef,
    DialogOpened,
    ElementAppeared,
    RouteChanged,
    ScopeRef,
    SemanticRef,
    StableIdRef,
    StatusContains,
    ToastContains,
    UIState,
)
from uiap.spec.web import ElementNode
from uiap.spec.workflow import ActionStep, WorkflowDefinition
from uiap.workflow.recorded_inputs import (
    ObservedMessage,
    Recorded,
    RecordedAction,
    RecordedChoice,
    RecordedEffects,
    RecordedInput,
    RecordedTarget,
    actions_of,
)
from uiap.workflow.recording import ELEMENTS, RecordingTerms, definition_of, stable_message, target_of
from uiap.workflow.validation import rule_violations
from uiap.workflow.values import expected_messages, filled_step

TERMS = RecordingTerms(id="video.create", title="Create a video", url="https://app.test/videos")
AFFORDANCES = {
    "textbox": ("edit",),
    "combobox": ("choose",),
    "checkbox": ("toggle", "activate"),
    "slider": ("edit",),
    "fileinput": ("upload",),
    "option": ("choose",),
}


CREATED = ObservedMessage("toast", "Created")


def target(role: str, name: str = "", *, record: str = "", **state: Any) -> RecordedTarget:
    element = ElementNode(
        instance_id=f"e-{role}-{name}",
        document_id="d1",
        role=role,  # type: ignore[arg-type]
        name=name or UNSET,
        affordances=AFFORDANCES.get(role, ("activate",)),  # type: ignore[arg-type]
        state=msgspec.convert(state, UIState),
    )
    binding = ElementBinding(id=f"{name}.{role}", match=())
    return RecordedTarget(element=element, binding=binding, record=record)


def press(role: str, name: str, **more: Any) -> RecordedInput:
    return RecordedInput(kind="press", target=target(role, name), **more)


def typed(name: str, value: str, role: str = "textbox", **more: Any) -> RecordedInput:
    return RecordedInput(kind="value", target=target(role, name), value=value, **more)


def key(name: str, pressed: str, role: str = "textbox") -> RecordedInput:
    return RecordedInput(kind="key", target=target(role, name), key=pressed)


def did(*signals: Any, messages: tuple[ObservedMessage, ...] = (), **more: Any) -> RecordedEffects:
    return RecordedEffects(signals=signals, messages=messages, **more)


def steps(definition: WorkflowDefinition) -> list[tuple[str, str, Any]]:
    return [
        (one.id, one.action_id, None if one.args is UNSET else one.args)
        for one in definition.steps
        if isinstance(one, ActionStep)
    ]


@pytest.mark.parametrize(
    ("recorded", "actions"),
    [
        (
            [press("textbox", "Title"), typed("Title", "A"), typed("Title", "Ab")],
            [("ui.enterText", {"text": "Ab"})],
        ),
        (  # the page was still loading when the field was pressed
            [press("textbox", "Title", effects=did(RouteChanged(pattern="/new"))), typed("Title", "A")],
            [("ui.enterText", {"text": "A"})],
        ),
        (
            [press("combobox", "Kind"), typed("Kind", "Event", "combobox")],
            [("ui.choose", {"label": "Event"})],
        ),
        ([press("combobox", "Kind")], []),
        ([press("checkbox", "News")], [("ui.toggle", {"checked": True})]),
        ([press("option", "Red")], [("ui.choose", {})]),
        ([typed("Volume", "7", "slider")], [("ui.setValue", {"value": 7})]),
        ([typed("Photo", "", "fileinput")], [("ui.upload", {"files": []})]),
        ([key("Title", "Enter"), press("button", "Save", by_key=True)], [("ui.activate", {})]),
        ([key("Todo", "Enter")], [("x.uiap.press", {"key": "Enter"})]),
        (
            [key("Kind", "ArrowDown", "combobox"), typed("Kind", "Event", "combobox")],
            [("ui.choose", {"label": "Event"})],
        ),
        (
            [press("row", "A"), press("row", "A"), RecordedInput(kind="double", target=target("row", "A"))],
            [("x.uiap.doubleActivate", {})],
        ),
        (
            [RecordedInput(kind="secondary", target=target("row", "A"))],
            [("x.uiap.secondaryActivate", {})],
        ),
        ([press("button", "A"), press("button", "A")], [("ui.activate", {}), ("ui.activate", {})]),
        (
            [RecordedAction(action_id="nav.navigate", args={"url": "/x"})],
            [("nav.navigate", {"url": "/x"})],
        ),
    ],
)
def test_inputs_become_the_actions_that_they_mean(recorded: list[Recorded], actions: list[Any]) -> None:
    assert [(one.action_id, dict(one.args)) for one in actions_of(recorded)] == actions


def test_a_checked_box_is_unchecked_and_not_just_switched() -> None:
    (action,) = actions_of([RecordedInput(kind="press", target=target("checkbox", "News", checked=True))])
    assert action.args == {"checked": False}


def test_entered_values_are_parameters_and_the_same_value_is_one() -> None:
    definition = definition_of(
        [typed("Title", "Intro"), typed("Short title", "Intro"), typed("Rooms", "1"), typed("Beds", "1")],
        TERMS,
    )
    assert [(one.name, one.type, one.required) for one in definition.parameters or ()] == [
        ("title", "string", True),
        ("rooms", "string", True),
        ("beds", "string", True),
    ]
    assert [args["text"] for _, _, args in steps(definition)] == [
        {"$param": "title"},
        {"$param": "title"},
        {"$param": "rooms"},
        {"$param": "beds"},
    ]
    assert "Intro" not in msgspec.json.encode(definition).decode()
    plain = msgspec.json.decode(msgspec.json.encode(definition))
    assert not [one for one in rule_violations(plain) if one.severity == "error"]


def test_a_choice_is_a_parameter_with_the_recorded_one_as_default() -> None:
    (parameter,) = definition_of([typed("Kind", "Event", "combobox")], TERMS).parameters or ()
    assert (parameter.name, parameter.default, parameter.required) == ("kind", "Event", UNSET)


@pytest.mark.parametrize(
    "secret",
    [
        RecordedInput(kind="value", target=target("textbox", "Pass word"), secret=True),
        RecordedAction(
            action_id="ui.enterText",
            target=target("textbox", "Pass word"),
            args={"text": "s3cret!"},
            private=True,
        ),
    ],
)
def test_a_secret_is_named_and_never_recorded(secret: Recorded) -> None:
    definition = definition_of([secret], TERMS)
    assert steps(definition) == [("pass-word", "ui.enterText", {"text": {"secret": "pass_word"}})]
    assert definition.parameters is UNSET
    assert "s3cret" not in msgspec.json.encode(definition).decode()


def test_the_effects_that_do_not_depend_on_the_data_prove_a_step() -> None:
    saved = did(
        RouteChanged(pattern="/videos/:id"),
        CollectionCount(target=ScopeRef(value="list"), op="eq", value=31),
        messages=(
            ObservedMessage("toast", "Saving…"),
            ObservedMessage("toast", "Video 31 “Intro” created ×"),
        ),
        appeared=(("group", "Intro"), ("link", "Intro"), ("link", "Other")),
        wrote=True,
    )
    definition = definition_of([typed("Title", "Intro"), press("button", "Save", effects=saved)], TERMS)
    save = definition.steps[-2]
    assert isinstance(save, ActionStep) and save.verification is not UNSET
    assert save.verification.signals == (
        RouteChanged(pattern="/videos/:id"),
        ElementAppeared(target=SemanticRef(role="link", name="{{title}}")),
        ToastContains(text="“{{title}}” created"),
    )
    assert definition.success == save.verification.signals
    assert save.metadata is UNSET, "it wrote, so it is not repeated"


@pytest.mark.parametrize(
    ("input", "repeatable"),
    [
        (press("button", "New", effects=did(DialogOpened())), True),
        (press("link", "New", effects=did(RouteChanged(pattern="/new"))), True),
        (press("button", "Save", effects=did(RouteChanged(pattern="/new"))), False),
        (press("button", "New", effects=did(DialogOpened(), wrote=True)), False),
    ],
)
def test_a_press_that_only_opens_something_may_be_repeated(input: RecordedInput, repeatable: bool) -> None:
    step = definition_of([input], TERMS).steps[0]
    assert (step.metadata == {"repeatable": True}) is repeatable


def test_only_a_status_or_a_new_part_proves_a_step_without_anything_better() -> None:
    told = did(messages=(ObservedMessage("status", "3 files uploaded"),))
    opened = did(ElementAppeared(target=ScopeRef(value="form")))
    definition = definition_of(
        [press("button", "Send", effects=told), press("tab", "More", effects=opened)], TERMS
    )
    first, second = (one for one in definition.steps if isinstance(one, ActionStep))
    assert first.verification is not UNSET and second.verification is not UNSET
    assert first.verification.signals == (StatusContains(text="files uploaded"),)
    assert second.verification.signals == opened.signals


@pytest.mark.parametrize(
    ("text", "kept"),
    [("Saved.", "Saved."), ("Order 4711 placed", "placed"), ("12:30", ""), ("1 of 2", "")],
)
def test_numbers_are_no_part_of_a_message(text: str, kept: str) -> None:
    assert stable_message(text, lambda one: one) == kept


def chose(role: str, name: str, value: str, **more: Any) -> RecordedEffects:
    """The effects of an input after which a list shows another value."""
    return RecordedEffects(choice=RecordedChoice(target=target(role, name, **more), label=value))


BOX = "e-combobox-Kind"
OPENED = press("combobox", "Kind", effects=RecordedEffects(opened_list=BOX))
FOUND = typed("Find", "Eve", "searchbox", open_list=BOX)


@pytest.mark.parametrize(
    "recorded",
    [
        [OPENED, press("option", "Event", effects=chose("combobox", "Kind", "Event"))],
        [
            press("textbox", "", effects=RecordedEffects(opened_list=BOX)),
            FOUND,
            msgspec.structs.replace(key("Find", "ArrowDown"), open_list=BOX),
            msgspec.structs.replace(
                key("Find", "Enter"), open_list=BOX, effects=chose("combobox", "Kind", "Event")
            ),
        ],
        [
            typed("Kind", "Eve", "combobox"),
            press("option", "Event", open_list=BOX, effects=chose("combobox", "Kind", "×Event")),
        ],
    ],
)
def test_everything_that_chooses_in_a_drawn_list_is_one_choice(recorded: list[Recorded]) -> None:
    before = typed("Title", "Intro")
    actions = [(one.action_id, dict(one.args)) for one in actions_of([before, *recorded])]
    assert actions == [("ui.enterText", {"text": "Intro"}), ("ui.choose", {"label": "Event"})]


def test_a_press_that_only_changes_a_shown_value_stays_a_press_of_its_element() -> None:
    """A button that sets a list to another value is no option of that list."""
    entered = RecordedInput(
        kind="value",
        target=target("textbox", "Zip"),
        value="8000",
        effects=chose("combobox", "City", "Zurich"),
    )
    button = press("button", "Use my address", effects=chose("combobox", "City", "Zurich"))
    assert [one.action_id for one in actions_of([entered, button])] == ["ui.enterText", "ui.activate"]


def test_a_message_repeats_choices_and_values_as_parameters_and_keeps_parts_of_words() -> None:
    recorded = [
        typed("Title", "Art"),
        RecordedInput(kind="choice", target=target("combobox", "Kind"), value="Event"),
        press(
            "button", "Save", effects=did(messages=(ObservedMessage("toast", "Event Art: Article saved"),))
        ),
    ]
    definition = definition_of(recorded, TERMS)
    assert definition.success == (ToastContains(text="{{kind}} {{title}}: Article saved"),)


def test_a_value_proves_itself_unless_it_is_the_last_step() -> None:
    effects = did(messages=(ObservedMessage("status", "Suggestions below"),))
    first, last = typed("Title", "Intro", effects=effects), typed("Note", "Soon", effects=effects)
    definition = definition_of([first, last], TERMS)
    proofs = [one.verification for one in definition.steps if isinstance(one, ActionStep)]
    assert proofs[0] is UNSET and proofs[1] is not UNSET


def test_an_element_without_words_is_named_by_the_text_before_it() -> None:
    unnamed = msgspec.structs.replace(target("textbox"), label="due-date")
    definition = definition_of([RecordedInput(kind="value", target=unnamed, value="May")], TERMS)
    assert [one.name for one in definition.parameters or ()] == ["due_date"]


def test_a_target_that_is_data_is_named_by_the_data() -> None:
    values = {"Intro": "title"}
    assert target_of(target("link", "Intro"), values) == SemanticRef(role="link", name="{{title}}")
    words = target_of(target("button", "Delete", record="Intro"), values)
    step = ActionStep(id="delete", action_id="ui.activate", target=words)
    filled = filled_step(step, {"title": 'a "b"'})
    assert isinstance(filled, ActionStep) and filled.target is not UNSET
    assert msgspec.json.decode(filled.target.value.removeprefix("words:")) == {  # type: ignore[union-attr]
        "text": "Delete",
        "role": "button",
        "near": 'a "b"',
    }


def test_the_options_that_an_agent_chose_are_parameters() -> None:
    chosen = RecordedAction(
        action_id="ui.choose", target=target("combobox", "Category"), args={"multiple": ["Tutorial"]}
    )
    definition = definition_of([chosen], TERMS)
    assert steps(definition)[0][2] == {"multiple": [{"$param": "category"}]}
    assert [one.default for one in definition.parameters or ()] == ["Tutorial"]


def test_a_name_with_an_entered_value_in_it_is_data() -> None:
    found = target_of(target("button", "Delete Intro"), {"Intro": "title"})
    assert found == SemanticRef(role="button", name="Delete {{title}}")


def test_a_field_with_an_attribute_of_its_own_is_no_control_of_a_record() -> None:
    """The rows of a form that is drawn as a table are no records."""
    field = msgspec.structs.replace(target("textbox", record="Priority"), identified=True)
    assert target_of(field, {"Intro": "title"}) == StableIdRef(value=field.binding.id)
    assert isinstance(target_of(field, {"Priority": "title"}), CustomRef)
    data = AnnotationMatcher(attr="id", value="delete-intro")
    named = msgspec.structs.replace(field, binding=ElementBinding(id="x", match=(data,)))
    assert isinstance(target_of(named, {"Intro": "title"}), CustomRef)


def test_parts_of_the_page_that_are_named_after_the_data_prove_without_their_name() -> None:
    asked = did(
        DialogOpened(target=ScopeRef(value="dialog.delete-intro")),
        ElementAppeared(target=ScopeRef(value="form.edit-intro")),
    )
    led = did(RouteChanged(pattern="/wiki/Intro"), path_before="/new", path="/wiki/Intro")
    recorded = [typed("Title", "Intro"), press("button", "Delete", effects=asked)]
    definition = definition_of([*recorded, press("link", "Open", effects=led)], TERMS)
    proofs = [one.verification for one in definition.steps if isinstance(one, ActionStep)]
    assert proofs[1].signals == (DialogOpened(),)  # type: ignore[union-attr]
    assert proofs[2].signals == (RouteChanged(pattern="/wiki/:title"),)  # type: ignore[union-attr]


def test_a_warning_beside_a_message_of_success_does_not_speak_against_it() -> None:
    warning = ObservedMessage("toast", "You don't have the required permission to edit Intro")
    created = [typed("Title", "Intro"), press("button", "Create", effects=did(messages=(CREATED, warning)))]
    definition = definition_of(created, TERMS)
    assert definition.success == (ToastContains(text="Created"),)
    step = definition.steps[-2]
    assert step.metadata == {"expectedMessages": ["You don't have the required permission to edit {{title}}"]}
    assert expected_messages(step, {"title": "Outro"}) == [
        "You don't have the required permission to edit Outro"
    ]
    refused = definition_of([press("button", "Create", effects=did(messages=(warning,)))], TERMS)
    assert refused.success == (ToastContains(text=warning.text),), "a person may record a refusal"
    assert refused.steps[0].metadata is UNSET


def test_bindings_are_kept_once_and_only_for_targets_that_use_them() -> None:
    recorded = [
        press("button", "A"),
        press("button", "A"),
        RecordedInput(kind="press", target=target("button", "B", record="x")),
    ]
    definition = definition_of(recorded, TERMS)
    assert definition.metadata is not UNSET
    assert [one["id"] for one in definition.metadata[ELEMENTS]] == ["A.button"]
    assert [id for id, _, _ in steps(definition)] == ["a", "a-2", "b"]


def test_the_picked_element_proves_success() -> None:
    picked = target("label", "Video Intro is ready").element
    terms = msgspec.structs.replace(TERMS, picked=picked)
    definition = definition_of([typed("Title", "Intro")], terms)
    assert definition.success == (
        ElementAppeared(target=SemanticRef(role="label", name="Video {{title}} is ready")),
    )
