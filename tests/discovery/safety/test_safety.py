"""The judgement of an action, and the decision whether a run may perform it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from tests.discovery.simulated_app import BASE, Element, Page, Scope, SimulatedApp, environment
from uiap.discovery import risk_words
from uiap.discovery.knowledge.candidates import read_candidates
from uiap.discovery.plan.address import AllowedOrigins
from uiap.discovery.safety.safety import Judgement, decide, judge
from uiap.graph.store import GraphStore
from uiap.spec.capability import RiskDescriptor
from uiap.spec.discovery import DiscoverySafetyPolicy

ALLOWED = AllowedOrigins.of(BASE)


def judgement(
    element: Element, *others: Element, parts: tuple[Scope, ...] = (), action: str = "ui.activate"
) -> Judgement:
    app = SimulatedApp({"/": Page([element, *others], parts)})
    store = GraphStore(app.graph())
    return judge(store, store.elements["d1e2"], action, ALLOWED)


@pytest.mark.parametrize(
    ("element", "kind"),
    [
        (Element("link", "Videos", href="/videos"), "navigation"),
        (Element("link", "Elsewhere", href="https://other.example/"), "external_effect"),
        (Element("link", "Run", href="javascript:run()"), "data_write"),
        (Element("link", "Reports", href="javascript:show()"), "ui_state"),
        (Element("link", "Settings", href="#"), "ui_state"),
        (Element("link", "Frobnicate", href="#"), "unknown"),
        (Element("link", "API", href="#api"), "ui_state"),
        (Element("link", "Delete", href="#delete"), "destructive"),
        (Element("link", "Frobnicate", href="#remove-all"), "unknown"),
        (Element("link", "Frobnicate", href="#do"), "unknown"),
        (Element("link", "API", href="#api", more={"metadata": {"method": "data-method"}}), "unknown"),
        (
            Element("menuitem", "Invoices", href="/invoices", more={"metadata": {"native": "link"}}),
            "navigation",
        ),
        (Element("link", "Log out", href="/logout"), "identity_change"),
        (Element("link", "Remove", href="/items/3"), "destructive"),
        (Element("tab", "Profile"), "ui_state"),
        (Element("cell", "Blue lamp"), "ui_state"),
        (Element("cell", "Blue lamp", more={"metadata": {"method": "request"}}), "unknown"),
        (Element("cell", ""), "unknown"),
        (Element("listitem", "Blue lamp"), "ui_state"),
        (Element("listitem", "Delete"), "destructive"),
        (Element("row", "Delete the mails of May"), "ui_state"),
        (Element("button", "More", state={"has_popup": "menu"}), "ui_state"),
        (Element("button", "Delete…", state={"has_popup": "dialog"}), "destructive"),
        (Element("button", "Section", state={"expanded": False}), "ui_state"),
        (Element("button", "Close"), "ui_state"),
        (Element("button", "Frobnicate"), "unknown"),
        (Element("button", ""), "unknown"),
        (Element("button", "", more={"metadata": {"icon": "settings"}}), "ui_state"),
        (Element("button", "", more={"metadata": {"icon": "trash"}}), "destructive"),
        (Element("button", "", more={"metadata": {"icon": "wb sunny"}}), "unknown"),
        (Element("button", "Delete", more={"metadata": {"icon": "settings"}}), "destructive"),
        (Element("button", "New"), "ui_state"),
        (Element("button", "?", more={"description": "Settings"}), "ui_state"),
        (Element("button", "⬇", more={"description": "Delete all"}), "destructive"),
        (Element("link", "+", href="#add-transaction"), "ui_state"),
        (Element("link", "+", href="#add-and-send"), "unknown"),
        (Element("link", "Delete", href="#add-transaction"), "destructive"),
        (
            Element("link", "+", href="#add-transaction", more={"description": "Add Journal Entry"}),
            "ui_state",
        ),
        (Element("link", "Send all now", href="#add-transaction"), "external_effect"),
        (Element("menuitem", "File ▾"), "ui_state"),
        (Element("button", "Delete ▾"), "destructive"),
        (Element("button", "▾"), "unknown"),
        (Element("button", "Create account now please"), "data_write"),
        (Element("button", "Save"), "data_write"),
        (Element("menuitem", "Abmelden"), "identity_change"),
        (Element("switch", "Dark mode"), "data_write"),
        (Element("textbox", "Title"), "draft"),
        (Element("custom", "Thing"), "unknown"),
    ],
)
@pytest.mark.requirement("DISC-8.4", "DISC-2.4")
def test_an_action_is_judged_by_role_label_and_address(element: Element, kind: str) -> None:
    assert judgement(element).side_effect == kind


def test_a_search_form_is_told_apart_from_a_form_that_writes() -> None:
    submit = {"affordances": ("read", "focus", "activate", "submit")}
    find = Scope("find", "form", "Find videos")
    make = Scope("make", "form", "New video")
    searching = judgement(
        Element("button", "Apply", scope="find", more=submit),
        Element("searchbox", "Search", scope="find"),
        parts=(find,),
    )
    writing = judgement(
        Element("button", "Apply", scope="make", more=submit),
        Element("textbox", "Title", scope="make"),
        parts=(make,),
    )
    assert searching.side_effect == "ui_state"
    assert writing.side_effect == "data_write"


@pytest.mark.parametrize(
    ("label", "more", "kind"),
    [
        ("Filters", {}, "ui_state"),
        ("Filters", {"affordances": ("read", "focus", "activate", "submit")}, "data_write"),
        ("Frobnicate", {}, "unknown"),
    ],
)
def test_a_button_of_a_form_that_does_not_send_it_may_show_a_part_of_the_page(
    label: str, more: dict[str, Any], kind: str
) -> None:
    form = Scope("find", "form", "Tickets")
    button, text = (
        Element("button", label, scope="find", more=more),
        Element("textbox", "Title", scope="find"),
    )
    assert judgement(button, text, parts=(form,)).side_effect == kind


def test_a_control_in_a_scope_named_as_dangerous_is_destructive() -> None:
    zone = Scope("zone", "region", "Gefahrenzone")
    assert (
        judgement(Element("button", "Weiter geht's", scope="zone"), parts=(zone,)).side_effect
        == "destructive"
    )


YES = {"affordances": ("read", "focus", "activate", "submit")}
FORM = Scope("sure", "form", "")


@pytest.mark.parametrize(
    ("title", "part", "beside"),
    [
        ("Delete multiple objects | Admin", FORM, ()),
        ("", Scope("sure", "dialog", "Delete this video?"), ()),
        ("", FORM, (Element("label", "Remove member", scope="sure", more={"metadata": {"level": 2}}),)),
        ("", FORM, (Element("option", "Delete selected books", scope="sure", state={"selected": True}),)),
    ],
    ids=["title", "dialog", "heading", "choice"],
)
@pytest.mark.requirement("DISC-8.4")
def test_a_button_that_only_says_yes_has_the_side_effect_of_its_surroundings(
    title: str, part: Scope, beside: tuple[Element, ...]
) -> None:
    app = SimulatedApp(
        {"/": Page([Element("button", "Yes, I'm sure", scope="sure", more=YES), *beside], (part,), title)}
    )
    store = GraphStore(app.graph())
    assert judge(store, store.elements["d1e2"], "ui.activate", ALLOWED).side_effect == "destructive"


def test_only_a_label_that_says_yes_answers_a_question() -> None:
    assert (
        risk_words.questioned_side_effect(
            "Are you sure you want to delete the selected books? All of these go."
        )
        == "destructive"
    )
    assert (
        risk_words.questioned_side_effect("What do you want to read?") is None
        and risk_words.questioned_side_effect("Deleted items stay.") is None
    )
    assert risk_words.says_yes("Yes, I\u2019m sure") and not risk_words.says_yes("Save draft")


def test_an_option_that_commands_destruction_is_not_chosen() -> None:
    choice = Element("combobox", "Action", scope="sure", more={"affordances": ("read", "choose")})
    app = SimulatedApp({"/": Page([choice, Element("button", "Go", scope="sure", more=YES)], (FORM,))})
    graph = app.graph()
    box = next(one for one in graph.elements if one.role == "combobox")
    named = ("---", True), ("Delete selected books", False), ("Mark as read", False)
    options = tuple(
        msgspec.structs.replace(
            box,
            instance_id=f"d1e9{n}",
            parent_instance_id=box.instance_id,
            role="option",
            name=name,
            state=msgspec.structs.replace(box.state, selected=selected),
        )
        for n, (name, selected) in enumerate(named)
    )
    store = GraphStore(msgspec.structs.replace(graph, elements=(*graph.elements, *options)))
    (chosen,) = [one for one in read_candidates(store, ALLOWED).found if one.step.action == "ui.choose"]
    assert chosen.step.args == {"label": "Mark as read"}


@pytest.mark.requirement("DISC-13.2")
def test_annotations_can_only_make_a_judgement_stricter() -> None:
    safe: dict[str, Any] = {"risk": RiskDescriptor(level="safe")}
    worse: dict[str, Any] = {"risk": RiskDescriptor(level="confirm", tags=("destructive",))}
    blocked: dict[str, Any] = {"risk": RiskDescriptor(level="blocked")}
    assert judgement(Element("button", "Delete", more=safe)).side_effect == "destructive"
    assert judgement(Element("button", "Close", more=worse)).side_effect == "destructive"
    assert judgement(Element("button", "Close", more=blocked)).blocked


def policy(mode: Any, **flags: bool) -> DiscoverySafetyPolicy:
    return DiscoverySafetyPolicy(default_mode=mode, **flags)


@pytest.mark.parametrize(
    ("kind", "flags", "effect", "reason"),
    [
        ("navigation", {}, "allow", "safe"),
        ("ui_state", {}, "allow", "safe"),
        ("draft", {}, "skip", "manual_only"),
        ("data_write", {}, "skip", "manual_only"),
        ("unknown", {}, "review", "unknown_side_effect"),
        ("external_effect", {"allow_external_effects": True}, "deny", "external_effect"),
        ("destructive", {"allow_destructive_actions": True}, "deny", "destructive"),
        ("irreversible", {}, "deny", "destructive"),
        ("security_change", {}, "deny", "security_sensitive"),
        ("billing_change", {}, "deny", "payment"),
        ("billing_change", {"allow_payment_flows": True}, "review", "payment"),
        ("identity_change", {"allow_auth_flows": True}, "review", "credential"),
    ],
)
@pytest.mark.requirement("DISC-8.2", "DISC-13.1", "DISC-13.2", "DISC-2.3")
def test_safe_explore_allows_only_actions_that_change_no_data(
    kind: Any, flags: dict[str, bool], effect: str, reason: str
) -> None:
    found = decide(Judgement(kind, "because"), policy("safe_explore", **flags))
    assert (found.effect, found.reason, bool(found.why)) == (effect, reason, True)


@pytest.mark.parametrize("kind", ["navigation", "ui_state", "draft", "data_write", "unknown", "destructive"])
@pytest.mark.requirement("DISC-8.1")
def test_observe_only_allows_no_action(kind: Any) -> None:
    assert decide(Judgement(kind, ""), policy("observe_only")).effect == "skip"


@pytest.mark.parametrize(
    ("kind", "flag", "effect"),
    [
        ("data_write", None, "allow"),
        ("draft", None, "allow"),
        ("external_effect", None, "deny"),
        ("external_effect", "allow_external_effects", "allow"),
        ("destructive", "allow_destructive_actions", "allow"),
        ("irreversible", "allow_destructive_actions", "deny"),
        ("identity_change", "allow_auth_flows", "allow"),
        ("security_change", None, "deny"),
        ("unknown", None, "review"),
    ],
)
@pytest.mark.requirement("DISC-8.3", "DISC-2.3")
def test_sandbox_write_allows_the_actions_of_its_flags(kind: Any, flag: str | None, effect: str) -> None:
    flags = {flag: True} if flag else {}
    assert decide(Judgement(kind, ""), policy("sandbox_write", **flags)).effect == effect


def test_a_spent_budget_is_checked_first() -> None:
    assert (
        decide(Judgement("navigation", ""), policy("safe_explore"), spent="states").reason
        == "budget_exceeded"
    )
    assert decide(Judgement("none", ""), policy("safe_explore"), opaque=True).reason == "opaque_boundary"
    assert environment().safety is not None


CLASSES = {
    "external_effect": "allow_external_effects",
    "destructive": "allow_destructive_actions",
    "identity_change": "allow_auth_flows",
    "billing_change": "allow_payment_flows",
}
_OPENNESS = {"deny": 0, "review": 1, "skip": 1, "allow": 2}


@pytest.mark.requirement("DISC-8.6")
@pytest.mark.parametrize("flag", CLASSES.values())
def test_each_flag_opens_its_own_class_and_no_other_and_never_more_than_the_mode_permits(flag: str) -> None:
    for kind, own in CLASSES.items():
        judgement = Judgement(kind, "because")  # type: ignore[arg-type]
        closed = decide(judgement, policy("sandbox_write")).effect
        opened = decide(judgement, policy("sandbox_write", **{flag: True})).effect
        assert (_OPENNESS[opened] > _OPENNESS[closed]) == (own == flag), (kind, flag)
        for mode in ("observe_only", "safe_explore"):
            assert decide(judgement, policy(mode, **{flag: True})).effect != "allow"
    for kind in ("irreversible", "security_change", "unknown"):
        judgement = Judgement(kind, "because")  # type: ignore[arg-type]
        assert decide(judgement, policy("sandbox_write", **{flag: True})).effect != "allow"
