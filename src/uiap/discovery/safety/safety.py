"""The side effect of an action, judged before it is performed, and whether a run may perform it (DISC-13.1).

Annotations of the page can only make a judgement stricter. An action that is not recognised is `unknown`, and an
unknown action is not performed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

from msgspec import UNSET

from uiap.discovery import risk_words
from uiap.discovery.plan.address import AllowedOrigins
from uiap.discovery.safety.announcement import announced_side_effect
from uiap.discovery.safety.labels import has_caret, label_of
from uiap.discovery.safety.links import (
    is_handled_by_request,
    leads_to_address,
    link_order,
    names_place,
    opens_form,
    part_of_link,
    sends_request,
    words_of_part,
)
from uiap.discovery.safety.menus import is_in_menu
from uiap.discovery.safety.reading_forms import reading_address
from uiap.graph.identity import scope_label
from uiap.graph.store import GraphStore
from uiap.graph.view import scopes_of
from uiap.policy.addresses import read_address
from uiap.policy.lexicon import is_known_language
from uiap.spec.capability import RiskDescriptor, RiskLevel, RiskTag
from uiap.spec.discovery import DiscoveryEffect, DiscoveryReason, DiscoverySafetyPolicy
from uiap.spec.policy import SIDE_EFFECT_RULES, SideEffectClass
from uiap.spec.web import ElementNode, ScopeNode

_TAG_CLASSES: dict[str, SideEffectClass] = {
    "irreversible": "irreversible",
    "destructive": "destructive",
    "billing": "billing_change",
    "security": "security_change",
    "identity": "identity_change",
    "external_effect": "external_effect",
    "legal": "irreversible",
    "privileged": "unknown",
    "sensitive_data": "data_write",
}
_TAGS: dict[SideEffectClass, RiskTag] = {
    "irreversible": "irreversible",
    "destructive": "destructive",
    "billing_change": "billing",
    "security_change": "security",
    "identity_change": "identity",
    "external_effect": "external_effect",
}
_SECRET_CLASSES = frozenset({"credential", "secret"})
_CHOICE_ROLES = frozenset(
    {"combobox", "listbox", "option", "radio", "checkbox", "switch", "slider", "spinbutton"}
)
_FIELD_ROLES = frozenset({"textbox", "textarea", "searchbox", "datepicker", "timepicker", "fileinput"})
_ENTRY_ROLES = ("row", "listitem", "treeitem", "cell")
_POPUPS = ("menu", "dialog", "listbox", "tree", "grid", True, "true")
_WORSE_THAN_WRITING = (
    "destructive",
    "irreversible",
    "billing_change",
    "security_change",
    "identity_change",
    "external_effect",
)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The side effect that an action is expected to have, and why."""

    side_effect: SideEffectClass
    why: str
    data_classes: frozenset[str] = field(default_factory=frozenset)
    blocked: bool = False
    locale: bool = False
    """The action would change the language the run was planned for."""
    opens: bool = False
    """The control declares that it opens something."""
    by_address: bool = False
    """The link is not pressed, because a script handles its press; its address is loaded."""

    @property
    def risk(self) -> RiskDescriptor:
        severity = SIDE_EFFECT_RULES[self.side_effect].severity
        tag = _TAGS.get(self.side_effect)
        level: RiskLevel = "blocked" if self.blocked else "safe" if severity <= 2 else "confirm"
        return RiskDescriptor(level=level, tags=(tag,) if tag else UNSET, reason=self.why)


class SafetyDecision(NamedTuple):
    """The decision about an action, made before it and recorded with it (DISC-13.1)."""

    effect: DiscoveryEffect
    reason: DiscoveryReason
    why: str


def judge(
    store: GraphStore, element: ElementNode, action_id: str, allowed_origins: AllowedOrigins
) -> Judgement:
    """Judge conservatively, from annotations, role, label, address and context."""
    judgement = _judge(store, element, action_id, allowed_origins)
    return _raised_by_annotations(judgement, element)


def decide(
    judgement: Judgement, policy: DiscoverySafetyPolicy, *, spent: str | None = None, opaque: bool = False
) -> SafetyDecision:
    """Decide by the first rule that matches (DISC-13.1)."""
    mode, kind = policy.default_mode, judgement.side_effect
    sandbox = mode == "sandbox_write"
    if spent is not None:
        return SafetyDecision("skip", "budget_exceeded", f"the budget for {spent} is used up")
    if opaque:
        return SafetyDecision("skip", "opaque_boundary", "it is behind a boundary that cannot be read")
    if mode == "observe_only" and kind != "none":
        return SafetyDecision("skip", "manual_only", "observe_only executes nothing")
    if judgement.blocked:
        return SafetyDecision("deny", "manual_only", judgement.why)
    if judgement.locale:
        return SafetyDecision("skip", "manual_only", judgement.why)
    if judgement.data_classes & _SECRET_CLASSES:
        allowed = sandbox and policy.allow_auth_flows is True
        return SafetyDecision("allow" if allowed else "review", "credential", judgement.why)
    if "payment" in judgement.data_classes or kind == "billing_change":
        effect: DiscoveryEffect = "review" if policy.allow_payment_flows is True else "deny"
        return SafetyDecision(effect, "payment", judgement.why)
    return _decide_by_side_effect(kind, policy, sandbox, judgement.why)


def _decide_by_side_effect(
    kind: SideEffectClass, policy: DiscoverySafetyPolicy, sandbox: bool, why: str
) -> SafetyDecision:
    if kind == "security_change":
        return SafetyDecision("deny", "security_sensitive", why)
    if kind == "identity_change":
        allowed = sandbox and policy.allow_auth_flows is True
        return SafetyDecision("allow" if allowed else "review", "credential", why)
    if kind in ("destructive", "irreversible"):
        allowed = sandbox and policy.allow_destructive_actions is True and kind == "destructive"
        return SafetyDecision("allow" if allowed else "deny", "destructive", why)
    if kind == "external_effect":
        allowed = sandbox and policy.allow_external_effects is True
        return SafetyDecision("allow" if allowed else "deny", "external_effect", why)
    if kind == "unknown":
        return SafetyDecision("review", "unknown_side_effect", why)
    if kind in ("draft", "data_write"):
        return SafetyDecision("allow", "safe", why) if sandbox else SafetyDecision("skip", "manual_only", why)
    return SafetyDecision("allow", "safe", why)


def _raised_by_annotations(judgement: Judgement, element: ElementNode) -> Judgement:
    """Return the judgement, made stricter by what the page declares about risk and data; never milder."""
    classes = frozenset(element.data_classes or ()) if element.data_classes is not UNSET else frozenset()
    if element.state.sensitive is True and not classes:
        classes = frozenset({"secret"})
    kind, why, blocked = judgement.side_effect, judgement.why, False
    if element.risk is not UNSET:
        tags = () if element.risk.tags is UNSET else element.risk.tags
        declared = [_TAG_CLASSES[tag] for tag in tags if tag in _TAG_CLASSES]
        if element.risk.level == "confirm" and not declared:
            declared = ["unknown"]
        blocked = element.risk.level == "blocked"
        worst = max(declared, key=_severity, default=kind)
        if _severity(worst) > _severity(kind) or (kind == "unknown" and declared):
            kind, why = (
                worst,
                f"the page declares it {element.risk.level}: {', '.join(tags) or 'no reason given'}",
            )
    return replace(judgement, side_effect=kind, why=why, data_classes=classes, blocked=blocked)


def _severity(kind: SideEffectClass) -> int:
    return SIDE_EFFECT_RULES[kind].severity


def _judge(
    store: GraphStore, element: ElementNode, action_id: str, allowed_origins: AllowedOrigins
) -> Judgement:
    role, label = element.role, label_of(element)
    if action_id in ("ui.read", "ui.focus", "ui.scrollIntoView", "ui.scroll", "ui.hover", "ui.highlight"):
        return Judgement("none" if action_id != "ui.hover" else "ui_state", "it changes nothing")
    if leads_to_address(element):
        return _judge_link(store, element, label, allowed_origins)
    if role == "tab":
        return Judgement("ui_state", "a tab shows another part of the page")
    if action_id in ("ui.expand", "ui.collapse") and role != "button":
        return Judgement("ui_state", "it opens in place")
    scopes = scopes_of(store, element)
    if role in _FIELD_ROLES or role in _CHOICE_ROLES:
        return _judge_input(store, element, scopes)
    if role in _ENTRY_ROLES and label:
        return _judge_entry(element, label, scopes)
    if role in ("link", "button", "menuitem", "custom", "image", "breadcrumb", "label"):
        return _judge_press(store, element, label, scopes)
    return Judgement("unknown", f"the effect of activating a {role} is not known")


def _judge_link(
    store: GraphStore, element: ElementNode, label: str, allowed_origins: AllowedOrigins
) -> Judgement:
    href = str(element.metadata["href"]) if element.metadata is not UNSET else ""
    refusal = allowed_origins.refusal(href)
    if refusal is not None:
        return Judgement("external_effect", refusal)
    url, is_handled = allowed_origins.resolve(href, store.route.url), is_handled_by_request(element)
    if sends_request(element) and not (is_handled and "?" not in url):
        return Judgement("unknown", "the link sends another request than a plain one")
    order = link_order(label, url, in_menu=is_in_menu(store, element), page=store.route.url)
    if order is not None:
        return Judgement(order.side_effect, order.why)
    if risk_words.names_language(label) or allowed_origins.switches_language(href):
        return Judgement(
            "navigation", "it changes the language, and the run was planned for one language", locale=True
        )
    if is_handled:
        return Judgement("navigation", "its address is loaded: a script handles its press", by_address=True)
    return Judgement("navigation", "a link to an allowed origin")


def _judge_input(store: GraphStore, element: ElementNode, scopes: tuple[ScopeNode, ...]) -> Judgement:
    if element.role in ("combobox", "listbox", "searchbox", "checkbox", "radio") and _is_search(
        store, scopes
    ):
        return Judgement("ui_state" if element.role != "searchbox" else "draft", "it filters what is shown")
    if element.role == "switch":
        return Judgement("data_write", "a switch takes effect at once")
    return Judgement("draft", "it holds a value that somebody enters")


def _judge_entry(element: ElementNode, label: str, scopes: tuple[ScopeNode, ...]) -> Judgement:
    """Judge the press of an entry of a list or table. The text of a row is data; that of a single entry may order."""
    ordered = risk_words.commanded_side_effect(label) if element.role != "row" else None
    if ordered is not None:
        return Judgement(ordered, f"its label says so: `{label}`")
    if element.role == "cell" and (_is_in_form(scopes) or sends_request(element)):
        return Judgement("unknown", "the effect of pressing a cell of a form is not known")
    return Judgement("ui_state", "it opens an entry of a list")


def _judge_press(
    store: GraphStore, element: ElementNode, label: str, scopes: tuple[ScopeNode, ...]
) -> Judgement:
    judgement = _judge_label(store, element, label, scopes)
    if judgement.side_effect != "data_write":
        return judgement
    announced = announced_side_effect(store, label, scopes)  # `Yes` and `Go` do what their surroundings say
    return judgement if announced is None else Judgement(*announced, opens=judgement.opens)


def _judge_label(
    store: GraphStore, element: ElementNode, label: str, scopes: tuple[ScopeNode, ...]
) -> Judgement:
    named = risk_words.named_side_effect(label) or _side_effect_of_action_id(element)
    if named in _WORSE_THAN_WRITING:
        return Judgement(named, f"its label says so: `{label}`")
    if any(risk_words.names_danger(scope.name or scope_label(scope)) for scope in scopes):
        return Judgement("destructive", "it is in a scope named as dangerous")
    if _opens_something(element):
        return Judgement("ui_state", "it says that it opens something", opens=True)
    if (address := reading_address(store, element, scopes)) is not None:
        return _judge_reading_form(store, label, address, scopes)
    if "submit" in element.affordances and _is_in_form(scopes):
        if _is_search(store, scopes):
            return Judgement("ui_state", "it submits a search")
        return Judgement("data_write", f"it submits a form: `{label}`")
    if not label:
        return Judgement("unknown", "it has no name")
    if risk_words.is_harmless(label) and not (_is_in_form(scopes) and named is not None):
        return Judgement("ui_state", f"its label says that something is shown, hidden or left: `{label}`")
    if named in (None, "data_write") and opens_form(label) and not _can_be_sent(store, scopes):
        return Judgement("ui_state", f"its label opens a form: `{label}`", opens=True)
    if named in (None, "data_write") and opens_form(words_of_part(element)) and not sends_request(element):
        return Judgement("ui_state", f"a link to a part of the page that is a form: `{label}`", opens=True)
    if named is not None:
        return Judgement(named, f"its label says so: `{label}`")
    if names_place(label):  # a button of a form that sends it was judged above
        return Judgement("ui_state", f"its label names a part of the application: `{label}`")
    if element.role != "link" and is_in_menu(store, element):
        return Judgement("ui_state", f"it is an entry of a menu: `{label}`")
    if part_of_link(element) and is_known_language(label) and not sends_request(element):
        return Judgement("ui_state", f"a link to a part of the page: `{label}`")
    return Judgement("unknown", f"the effect of `{label}` is not known")


def _judge_reading_form(
    store: GraphStore, label: str, address: str, scopes: tuple[ScopeNode, ...]
) -> Judgement:
    is_known = risk_words.is_harmless(label) or names_place(label) or risk_words.names_search(label)
    opens = (opens_form(label) or read_address(address).verbs) and not _has_entries(store, scopes)
    if not is_known and not opens:
        return Judgement("data_write", f"it submits a form: `{label}`")  # `Update`, next to fields
    order = link_order(label, address, page=store.route.url)
    if order is not None:
        return Judgement(order.side_effect, order.why)
    return Judgement("navigation", "the button of a form that only reads")


def _side_effect_of_action_id(element: ElementNode) -> SideEffectClass | None:
    """Return the side effect named by the id of the declared action. It can only make a judgement stricter."""
    if element.default_action is UNSET:
        return None
    return risk_words.named_side_effect(element.default_action.replace(".", " ").replace("_", " "))


def _opens_something(element: ElementNode) -> bool:
    state = element.state
    popup = state.has_popup if state.has_popup is not UNSET else None
    if element.role in ("button", "menuitem") and has_caret(element.name or element.text or ""):
        return True
    unfolds = element.metadata is not UNSET and "opens" in element.metadata
    return popup in _POPUPS or unfolds or isinstance(state.expanded, bool) or isinstance(state.open, bool)


def _is_in_form(scopes: tuple[ScopeNode, ...]) -> bool:
    return any(scope.kind == "form" for scope in scopes)


def _can_be_sent(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> bool:
    """Whether a button here may send entries: it is in a form or a dialog, or beside a field to fill in."""
    if any(scope.kind in ("form", "dialog", "drawer", "popover") for scope in scopes):
        return True
    return _has_entries(store, scopes)


def _has_entries(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> bool:
    """Whether there is a field beside the button, whose entry it may send."""
    members = store.by_scope(scopes[-1].scope_id) if scopes else ()
    return any(one.role in _FIELD_ROLES and not _is_ignored(one) for one in members)


def _is_ignored(field: ElementNode) -> bool:
    """Whether nobody enters something to send here: the field searches, or it is hidden from assistive technology."""
    if field.metadata is not UNSET and field.metadata.get("ariaHidden"):
        return True
    text = f"{field.name or ''} {field.state.placeholder or ''}"
    return field.role == "searchbox" or risk_words.names_search(text)


def _is_search(store: GraphStore, scopes: tuple[ScopeNode, ...]) -> bool:
    """Whether the form searches or filters: its name says so or it has a search box, and no other text field."""
    form = next((scope for scope in reversed(scopes) if scope.kind in ("form", "toolbar", "region")), None)
    if form is None:
        return False
    members = store.by_scope(form.scope_id)
    has_search_box = any(one.role == "searchbox" for one in members)
    has_text_field = any(one.role in ("textbox", "textarea", "fileinput") for one in members)
    is_named_search = risk_words.names_search(form.name or "") or risk_words.names_search(
        form.stable_id or ""
    )
    if form.kind != "form":
        return has_search_box and not has_text_field
    return (has_search_box or is_named_search) and not has_text_field
