"""A target by words: equal names first, only usable elements, links to one address count once, similar names."""

from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest

from tests.runtime.test_resolve import meant, page
from tests.support.playbook import button
from uiap.runtime.resolve import AmbiguousMatch, NoMatch, Resolved, gather, resolve
from uiap.runtime.word_target import WordTarget, parse_word_target
from uiap.spec.action import ActionTarget
from uiap.spec.capability import CustomRef, SemanticRef
from uiap.spec.web import WebElementState


def words(**given: str) -> ActionTarget:
    return ActionTarget(ref=CustomRef(value="words:" + json.dumps(given)))


def named(id: str, name: str, *, role: Any = "button", can: Any = ("read", "activate"), **more: Any) -> Any:
    metadata = more.pop("metadata", None)
    element = button(name, id, role=role, affordances=can, **more)
    return element if metadata is None else msgspec.structs.replace(element, metadata=metadata)


def winner(found: Any) -> str:
    assert isinstance(found, Resolved), found
    return found.winner.candidate.element.instance_id


def test_an_equal_name_beats_names_that_contain_it():
    store = page(named("e1", "Save and continue"), named("e2", "Save:"), named("e3", "Save and add another"))
    assert winner(meant(store, words(text="Save"))) == "e2"


def test_a_name_in_the_same_letters_beats_one_in_other_case():
    store = page(named("e1", "more"), named("e2", "More", role="tab"), named("e3", "more"))
    assert winner(meant(store, words(text="More"))) == "e2"
    assert isinstance(meant(store, words(text="more")), AmbiguousMatch)


def test_only_elements_that_the_action_can_use_count():
    store = page(
        named("e1", "Title", role="text", can=("read",)), named("e2", "Title", role="textbox", can=("edit",))
    )
    target = words(text="Title")
    assert winner(resolve(target, gather(store, target, affordances=("edit",)), "ui.enterText")) == "e2"


def test_a_click_also_means_checkboxes_and_options():
    store = page(named("e1", "Subtitles", role="checkbox", can=("read", "toggle")))
    assert winner(meant(store, words(text="Subtitles"))) == "e1"


def test_two_elements_with_one_name_are_ambiguous_but_two_links_to_one_address_are_not():
    twins = page(named("e1", "Users"), named("e2", "Users"))
    assert isinstance(meant(twins, words(text="Users")), AmbiguousMatch)
    link: dict[str, Any] = {"role": "link", "metadata": {"href": "/users"}}
    assert (
        winner(meant(page(named("e1", "Users", **link), named("e2", "Users", **link)), words(text="Users")))
        == "e1"
    )


def test_a_part_of_the_page_and_its_own_heading_are_one():
    part = named("e1", "Friends", role="group", can=("read",))
    own = named("e2", "Friends", role="label", can=("read",), parent_instance_id="e1")
    other = named("e3", "Friends", role="label", can=("read",))
    assert winner(meant(page(part, own), words(text="Friends"))) == "e1"
    assert isinstance(meant(page(part, own, other), words(text="Friends")), AmbiguousMatch)


def test_a_group_and_the_button_that_opens_it_are_one():
    frame = named("e1", "More", role="group", can=("read", "expand"))
    opener = named(
        "e2",
        "More",
        can=("read", "activate", "expand"),
        parent_instance_id="e1",
        state=WebElementState(visible=True, expanded=False),
    )
    other = named("e3", "More", can=("read", "activate"))
    assert winner(meant(page(frame, opener), words(text="More"))) == "e2"
    assert winner(meant(page(frame, opener), words(text="More", role="group"))) == "e1"
    assert isinstance(meant(page(frame, opener, other), words(text="More")), AmbiguousMatch)


def test_a_role_narrows_the_words():
    store = page(named("e1", "Users", role="link"), named("e2", "Users", role="tab"))
    assert winner(meant(store, words(text="Users", role="tab"))) == "e2"


def test_a_role_may_be_named_as_in_aria():
    store = page(named("e1", "Users", role="link"), named("e2", "Users", role="label"))
    assert winner(meant(store, words(text="Users", role="heading"))) == "e2"


def test_a_name_that_fits_nothing_names_similar_elements():
    store = page(named("e1", "Create video"), named("e2", "Cancel"))
    found = meant(store, words(text="Create vidoe"))
    assert isinstance(found, NoMatch)
    assert found.reason == "no element matches `Create vidoe`; similar: button “Create video” [e1]"


def test_a_bound_that_excludes_everything_is_named():
    found = meant(page(named("e1", "Edit")), words(text="Edit", near="Nowhere", within="Nothing"))
    assert isinstance(found, NoMatch)
    assert found.reason.startswith("no element matches `Edit` near `Nowhere` within `Nothing`; similar: ")


def test_similar_elements_that_the_action_cannot_use_are_named_if_there_are_no_others():
    target = ActionTarget(ref=SemanticRef(role="combobox", name="Fruit"))
    store = page(named("e1", "Fruit", role="textbox", can=("read", "edit")))
    found = resolve(target, gather(store, target, affordances=("choose",)), "ui.choose")
    assert isinstance(found, NoMatch) and found.reason.endswith("similar: textbox “Fruit” [e1]")


def test_words_in_the_text_of_a_form_mean_no_field_and_its_nameless_fields_are_listed():
    form = msgspec.structs.replace(named("e1", "", role="form", can=("read",)), text="Email Password")
    secret = named(
        "e2", "", role="textbox", can=("edit",), state=WebElementState(visible=True, sensitive=True)
    )
    target = words(text="Password")
    found = resolve(target, gather(page(form, secret), target, affordances=("edit",)), "ui.enterText")
    assert isinstance(found, NoMatch)
    assert found.reason == "no element matches `Password`; similar: private textbox without a name [e2]"


def test_an_equal_name_beats_names_that_contain_it_near_a_text_too():
    beside = {"beside": "Your data"}
    store = page(named("e2", "Import all", metadata=beside), named("e3", "Import", metadata=beside))
    assert winner(meant(store, words(text="Import", near="Your data"))) == "e3"


def test_words_in_the_text_of_the_page_do_not_mean_the_page():
    app = msgspec.structs.replace(named("e0", "", role="app"), text="Alpha Beta")
    assert isinstance(meant(page(app), words(text="Alpha")), NoMatch)
    assert winner(meant(page(app, named("e1", "Alpha")), words(text="Alpha"))) == "e1"


def test_a_text_area_is_found_as_a_text_box():
    store = page(named("e1", "Comment", role="textarea", can=("read", "edit")))
    assert winner(meant(store, ActionTarget(ref=SemanticRef(role="textbox", name="Comment")))) == "e1"
    assert winner(meant(store, words(text="Comment", role="textbox"))) == "e1"


@pytest.mark.parametrize("value", ["entity:a:1", "words:{", 'words:{"colour": "red"}', "words:[]"])
def test_other_custom_references_are_not_words(value: str):
    assert parse_word_target(value) is None


def test_the_members_are_read():
    parsed = parse_word_target('words:{"text": "Delete", "near": "user-7", "within": "Users"}')
    assert parsed == WordTarget(text="Delete", near="user-7", within="Users")
