"""Fingerprints do not change with passing content, and change with the structure of the page."""

from collections.abc import Callable

import msgspec
import pytest

from tests.graph.pages import Page, grid
from uiap.graph.fingerprint import DEFAULT_POLICY, fingerprint
from uiap.graph.store import GraphStore
from uiap.spec.discovery import StateFingerprintPolicy
from uiap.spec.web import FocusInfo, RouteInfo, ViewportInfo


def page() -> Page:
    made = grid(4)
    main = made.scope("region", "Main")
    made.element("button", "Create user", scope_id=main, stable_id="user.create")
    made.element("textbox", "Search", scope_id=main, state={"text_value": "ada"})
    made.element("tab", "Active (3)", scope_id=main, state={"selected": True})
    made.element("status", text="Updated 3 minutes ago", scope_id=main)
    made.element("label", "Last sync 12:30:05", scope_id=main)
    return made


def digest(made: Page, policy: StateFingerprintPolicy = DEFAULT_POLICY) -> str:
    return fingerprint(GraphStore(made.graph()), policy).digest


def find(made: Page, name: str) -> int:
    return next(place for place, one in enumerate(made.elements) if one.name == name)


def rename(made: Page, name: str, new: str) -> None:
    place = find(made, name)
    made.elements[place] = msgspec.structs.replace(made.elements[place], name=new)


def more_rows(made: Page) -> None:
    scope = made.scopes[0].scope_id
    row = made.element("row", scope_id=scope, parent_instance_id="f0e1", metadata={"record": "text:new"})
    made.element("cell", text="someone else", scope_id=scope, parent_instance_id=row)
    last = made.element("cell", scope_id=scope, parent_instance_id=row)
    for name in ("Edit", "Delete"):
        made.element("button", name, scope_id=scope, parent_instance_id=last, metadata={"record": "text:new"})


def other_ids(made: Page) -> None:
    made.elements = [
        msgspec.structs.replace(
            one,
            instance_id="x" + one.instance_id,
            **({"parent_instance_id": "x" + one.parent_instance_id} if one.parent_instance_id else {}),
        )
        for one in made.elements
    ]
    made.scopes = [
        msgspec.structs.replace(one, host_instance_id=f"x{one.host_instance_id}") for one in made.scopes
    ]
    made.collections = [
        msgspec.structs.replace(one, owner_instance_id="x" + one.owner_instance_id)
        for one in made.collections
    ]


def typed(made: Page) -> None:
    place = find(made, "Search")
    state = msgspec.structs.replace(made.elements[place].state, text_value="grace")
    made.elements[place] = msgspec.structs.replace(made.elements[place], state=state)


EPHEMERAL: dict[str, Callable[[Page], object]] = {
    "a toast": lambda made: made.element("toast", "Saved", scope_id="f0s2"),
    "a spinner": lambda made: made.element("spinner", "Loading", scope_id="f0s2"),
    "a clock": lambda made: rename(made, "Last sync 12:30:05", "Last sync 12:31:17"),
    "a counter in a name": lambda made: rename(made, "Active (3)", "Active (12)"),
    "scrolling": lambda made: made.more.update(viewport=ViewportInfo(width=800, height=600, scroll_y=400)),
    "typed text": typed,
    "one more record": more_rows,
    "new instance ids": other_ids,
    "a focused button": lambda made: made.more.update(
        focus=FocusInfo(target=made.elements[find(made, "Create user")].instance_id)
    ),
}


@pytest.mark.requirement("DISC-11.3b")
@pytest.mark.parametrize("change", EPHEMERAL.values(), ids=EPHEMERAL)
def test_temporary_content_does_not_make_another_state(change: Callable[[Page], object]) -> None:
    changed = page()
    change(changed)
    assert digest(changed) == digest(page())


def set_route(made: Page) -> None:
    made.route = RouteInfo(url="http://app.test/videos", path="/videos")


def select_other(made: Page) -> None:
    place = find(made, "Active (3)")
    state = msgspec.structs.replace(made.elements[place].state, selected=False)
    made.elements[place] = msgspec.structs.replace(made.elements[place], state=state)


def drop_button(made: Page) -> None:
    del made.elements[find(made, "Create user")]


def empty_collection(made: Page) -> None:
    made.collections = [msgspec.structs.replace(made.collections[0], count=0)]


def open_dialog(made: Page) -> None:
    made.more["modal_stack"] = (made.scope("dialog", "Sure?"),)


REAL: dict[str, Callable[[Page], object]] = {
    "another route": set_route,
    "another scope": lambda made: made.scope("form", "Filters"),
    "an open dialog": open_dialog,
    "a control less": drop_button,
    "another name": lambda made: rename(made, "Create user", "Invite user"),
    "another tab": select_other,
    "an emptied collection": empty_collection,
    "focus in a field": lambda made: made.more.update(
        focus=FocusInfo(target=made.elements[find(made, "Search")].instance_id)
    ),
}


@pytest.mark.requirement("DISC-11.3a")
@pytest.mark.parametrize("change", REAL.values(), ids=REAL)
def test_structural_changes_make_another_state(change: Callable[[Page], object]) -> None:
    changed = page()
    change(changed)
    assert digest(changed) != digest(page())


@pytest.mark.requirement("DISC-11.3a")
def test_the_order_of_open_dialogs_counts() -> None:
    one, other = page(), page()
    for made, order in ((one, (0, 1)), (other, (1, 0))):
        dialogs = (made.scope("dialog", "First"), made.scope("dialog", "Second"))
        made.more["modal_stack"] = tuple(dialogs[place] for place in order)
    assert digest(one) != digest(other)


@pytest.mark.requirement("DISC-11.3a")
def test_two_records_of_one_route_pattern_are_one_state() -> None:
    assert digest(Page("/users/1")) == digest(Page("/users/2"))


@pytest.mark.requirement("DISC-11.3b")
def test_the_policy_decides_about_values_collections_toasts_and_spinners() -> None:
    signed, other, toasted, spinning, spoken = page(), page(), page(), page(), page()
    signed.collections = [msgspec.structs.replace(signed.collections[0], signature="abc")]
    other.collections = [msgspec.structs.replace(other.collections[0], signature="def")]
    toasted.element("toast", "Saved")
    spinning.element("spinner", "Loading")
    typed(spoken)
    strict = StateFingerprintPolicy(
        include_text_values=True,
        include_collections=True,
        ignore_transient_toasts=False,
        ignore_spinners=False,
    )
    assert digest(signed) == digest(other)
    assert digest(signed, strict) != digest(other, strict)
    for changed in (toasted, spinning, spoken):
        assert digest(changed, strict) != digest(page(), strict)


def test_the_size_of_a_collection_does_not_change_the_state() -> None:
    assert digest(grid(3)) == digest(grid(300))
