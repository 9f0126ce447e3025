"""A recorded target on an application that changed: it is found, or a person is asked about the right element.

Another element is never taken and never proposed.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from tests.graph.pages import Page
from tests.host.bundles.test_matching import Site
from tests.workflow.simulated import definition
from uiap.errors import UiapError
from uiap.graph.store import GraphStore
from uiap.host.workflows.recorded_bindings import (
    RunBindings,
    bundle_of_run,
    propose_repair,
    recorded_elements,
)
from uiap.host.workflows.recorder import recorded_binding
from uiap.runtime.resolve import Resolved, gather, resolve
from uiap.spec.action import ActionTarget
from uiap.spec.capability import StableIdRef
from uiap.spec.web import ElementNode
from uiap.workflow.commands import ProposeRepair

URL = "https://app.test/settings"
ACTIONS = {"textbox": "ui.enterText", "link": "ui.activate", "button": "ui.activate"}
Drift = Callable[[Site], None]


def elements(store: GraphStore) -> dict[str, ElementNode]:
    """Return the elements by their mark, which is no part of any binding."""
    return {str(one.description): one for one in store if isinstance(one.description, str)}


def recorded(site: Site, *marks: str) -> tuple[RunBindings, dict[str, str]]:
    """Return the bindings of a recording that used these controls, and the id of each."""
    store = site.store()
    made = {mark: recorded_binding(store, elements(store)[mark]) for mark in marks}
    workflow = definition(
        {"id": "done", "type": "complete"},
        metadata={"elements": [msgspec.to_builtins(one) for one in made.values()]},
    )
    bindings = bundle_of_run(workflow, None, URL).bindings
    assert isinstance(bindings, RunBindings)
    return bindings, {mark: one.id for mark, one in made.items()}


def found(bindings: RunBindings, store: GraphStore, id: str) -> str | None:
    """Return the mark of the element that an action would use now, or None if it is refused."""
    target = ActionTarget(ref=StableIdRef(value=id))
    match = resolve(target, bindings.bind(store, target, gather(store, target)), "ui.activate")
    return str(match.winner.candidate.element.description) if isinstance(match, Resolved) else None


def renamed_a_little(site: Site) -> None:
    site.change("profile.save", name="Save now")


def renamed_completely(site: Site) -> None:
    site.change("profile.save", name="Apply")


def opposite_name(site: Site) -> None:
    site.change("profile.save", name="Do not save")


def riskier_name(site: Site) -> None:
    site.change("profile.save", name="Save and delete account")


def removed(site: Site) -> None:
    del site.controls["profile.save"]


def another_in_its_place(site: Site) -> None:
    site.controls["profile.save"] = ("profile", ("button", "Cancel", {}))


def moved_to_another_form(site: Site) -> None:
    site.change("profile.city", scope="mail")


def wrapped_in_a_new_group(site: Site) -> None:
    site.scopes["extra"] = ("group", "Details", "profile")
    site.change("profile.city", scope="extra")


def ids_changed(site: Site) -> None:
    site.change("profile.name", facts={"htmlName": "full_name", "htmlId": "profile-full-name"})


def role_changed(site: Site) -> None:
    site.change("nav.videos", role="button", facts={})


def doubled(site: Site) -> None:
    site.controls["second"] = ("profile", ("button", "Save", {}))


def names_swapped(site: Site) -> None:
    site.change("profile.name", name="City")
    site.change("profile.city", name="Name")


def form_renamed(site: Site) -> None:
    site.scopes["profile"] = ("form", "About you", None)


def typing_error_and_new_place(site: Site) -> None:
    site.change("nav.videos", name="Video", scope="profile", facts={"href": "/clips"})


DRIFTS: list[tuple[Drift, dict[str, str]]] = [
    (renamed_a_little, {"profile.save": "proposed"}),
    (renamed_completely, {"profile.save": "refused"}),
    (opposite_name, {"profile.save": "refused"}),
    (riskier_name, {"profile.save": "refused"}),
    (removed, {"profile.save": "refused"}),
    (another_in_its_place, {"profile.save": "refused"}),
    (moved_to_another_form, {}),
    (wrapped_in_a_new_group, {}),
    (ids_changed, {}),
    (role_changed, {}),
    (doubled, {"profile.save": "refused"}),
    (names_swapped, {}),
    (form_renamed, {}),
    (typing_error_and_new_place, {}),
]


@pytest.mark.requirement("WF-7")
@pytest.mark.parametrize(("drift", "wanted"), DRIFTS, ids=lambda one: getattr(one, "__name__", ""))
def test_a_drifted_target_is_found_or_proposed_or_refused_and_never_another(
    drift: Drift, wanted: dict[str, str]
) -> None:
    marks = ("profile.save", "profile.city", "profile.name", "nav.videos")
    bindings, ids = recorded(Site(), *marks)
    site = Site()
    drift(site)
    store = site.store()
    for mark in marks:
        now = found(bindings, store, ids[mark])
        assert now in (mark, None), f"{mark} became {now}"
        outcome = "found" if now else _proposed(bindings, store, site, mark, ids[mark])
        assert outcome == wanted.get(mark, outcome)


def _proposed(bindings: RunBindings, store: GraphStore, site: Site, mark: str, id: str) -> str:
    """Return whether the right element is proposed. An accepted proposal finds exactly this element."""
    action = ACTIONS[Site().controls[mark][1][0]]
    command = ProposeRepair(step_id="s", action_id=action, target=StableIdRef(value=id))
    proposed = propose_repair(store, command, bindings)
    if proposed is None:
        return "refused"
    proposal, _element = proposed
    assert proposal.score >= 0.5 and proposal.reasons
    bindings.repair((proposal.binding,))
    assert found(bindings, store, id) == mark, f"{proposal.reasons}"
    return "proposed"


def test_an_unchanged_application_needs_no_repair() -> None:
    bindings, ids = recorded(Site(), *Site().controls)
    store = Site().store()
    assert {mark: found(bindings, store, id) for mark, id in ids.items()} == {mark: mark for mark in ids}


def test_elements_of_a_definition_must_be_bindings() -> None:
    with pytest.raises(UiapError, match="the elements of"):
        recorded_elements(definition({"id": "done", "type": "complete"}, metadata={"elements": [{"id": 7}]}))


def test_a_field_without_a_name_is_never_mistaken_for_a_named_one_after_the_same_text() -> None:
    site = Site()
    site.controls["mail.nameless"] = ("mail", ("textbox", None, {}))
    site.controls["mail.tag"] = ("mail", ("textbox", "Address", {}))
    bindings, ids = recorded(site, "mail.nameless")
    assert found(bindings, site.store(), ids["mail.nameless"]) == "mail.nameless"


@pytest.mark.requirement("WF-7")
def test_a_proposal_finds_its_element_also_if_a_copy_has_the_same_id_of_the_page() -> None:
    class Annotated(Site):
        copies = 1

        def store(self) -> GraphStore:
            page = Page("/settings", "Settings")
            form, summary = page.scope("form", "Profile"), page.scope("region", "Summary")
            page.element("button", "Save", scope_id=form, description="save", stable_id="save")
            if self.copies == 2:
                copied = {"duplicateStableId": "save"}
                page.element("button", "Save", scope_id=summary, description="copy", metadata=copied)
            return GraphStore(page.graph())

    site = Annotated()
    bindings, ids = recorded(site, "save")
    assert found(bindings, site.store(), ids["save"]) == "save"
    site.copies = 2
    store = site.store()
    assert found(bindings, store, ids["save"]) is None
    command = ProposeRepair(step_id="s", action_id="ui.activate", target=StableIdRef(value=ids["save"]))
    proposed = propose_repair(store, command, bindings)
    assert proposed is not None
    bindings.repair((proposed[0].binding,))
    assert found(bindings, store, ids["save"]) == "save"
