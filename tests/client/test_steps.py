"""Steps from words and from JSON."""

from __future__ import annotations

import json

import pytest

from uiap.client.steps import Step, form_steps, parse_steps, shows_changes
from uiap.client.verbs import VerbError


def test_steps_are_separated_by_semicolons_or_lines():
    steps = parse_steps(
        "fill Title=My video; select Category=Tutorial\ncheck Subtitles;\n click Create video"
    )
    assert steps == [
        Step("fill", "Title", "My video"),
        Step("select", "Category", "Tutorial"),
        Step("check", "Subtitles"),
        Step("click", "Create video"),
    ]
    assert [step.may_settle_later for step in steps] == [True, False, True, False]


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ('fill "a=b; c"="x; y=z"', Step("fill", "a=b; c", "x; y=z")),
        ("fill Formula=a=b", Step("fill", "Formula", "a=b")),
        (r'fill Quote="say \"hi\""', Step("fill", "Quote", 'say "hi"')),
        ("fill Empty=", Step("fill", "Empty", "")),
        ("fill 'a=b; c'='x; y=z'", Step("fill", "a=b; c", "x; y=z")),
        ("fill d2e62='Shopping list'", Step("fill", "d2e62", "Shopping list")),
        ("fill d2e62 Shopping list", Step("fill", "d2e62", "Shopping list")),
        ("fill 'Tag name' todo", Step("fill", "Tag name", "todo")),
        ('fill "Tag name" "to = do"', Step("fill", "Tag name", "to = do")),
        ('fill "Tag name" = "to do"', Step("fill", "Tag name", "to do")),
        ("fill Note=Don't stop", Step("fill", "Note", "Don't stop")),
        ("fill Note='It's fine'", Step("fill", "Note", "It's fine")),
        ("fill Note=rock 'n' roll", Step("fill", "Note", "rock 'n' roll")),
        ("click 'Sign in'", Step("click", "Sign in")),
        ("click Sam's list --near 'last week'", Step("click", "Sam's list", near="last week")),
        ("press Control+Enter", Step("press", None, "Control+Enter")),
        ("goto /videos?a=1", Step("goto", None, "/videos?a=1")),
        ("back", Step("back")),
        ("double-click Cell 7", Step("double_click", "Cell 7")),
        ('click Delete --near "user 7" --role button', Step("click", "Delete", role="button", near="user 7")),
        ("click Save --expect toast.contains:saved", Step("click", "Save", expect=("toast.contains:saved",))),
        ("click d2e53", Step("click", "d2e53")),
    ],
)
def test_one_line(line: str, step: Step):
    assert parse_steps(line) == [step]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("fill Title=x; click Save", True),
        ("goto /videos", True),
        ("click Save; observe", False),
        ("click Save; observe Results", True),
        ("goto /videos; wait text Title; table", False),
        ("click Save; table", True),
    ],
)
def test_the_changes_are_not_shown_beside_what_was_asked_for(line: str, shown: bool):
    assert shows_changes(parse_steps(line)) is shown


def test_json_says_the_same():
    given = [
        {"do": "fill", "target": "Title", "value": "My video"},
        {"do": "click", "target": "Save", "near": "x"},
    ]
    steps = [Step("fill", "Title", "My video"), Step("click", "Save", near="x")]
    assert parse_steps(given) == parse_steps(json.dumps(given)) == steps


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", "there are no steps"),
        ("jump Title", "`jump` is not a verb; the verbs are click"),
        ("click Save; fill Title", "step 2: fill needs a text"),
        ("[{]", "the steps are not JSON"),
        ('["click"]', "write a list of steps"),
        ('[{"target": "Save"}]', "step 1 has no `do`"),
        ('[{"do": "click", "name": "Save"}]', "step 1: `name` is not a member"),
    ],
)
def test_a_wrong_step_is_named(given: str, message: str):
    with pytest.raises(VerbError) as raised:
        parse_steps(given)
    assert str(raised.value).startswith(message)


def test_the_words_of_a_step_leave_its_value_out():
    assert Step("fill", "Password", "secret").words == "fill Password"


def test_fields_with_a_certain_verb_become_steps():
    steps = form_steps({"Subtitles": True, "Draft": False, "Tags": ["a", "b"], "Title": "x"})
    assert [(one.verb, one.value) for one in steps] == [
        ("check", None), ("uncheck", None), ("select", ["a", "b"]), ("fill", "x"),
    ]  # fmt: skip
