"""Every hazard: the task, the correct answers in each mode, and the truth that the page must report afterwards.

This is plain data without UIAP types, so that any tool can be measured with it. `truth` must hold after every
answer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["succeeded", "failed"]


@dataclass(frozen=True)
class Answer:
    """One correct result. `effects` are the side-effect states that would be true."""

    status: Status
    code: str | None = None
    effects: tuple[str, ...] = ()
    detail: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Hazard:
    id: str
    why: str
    role: str = "button"
    name: str = ""
    action: str = "ui.activate"
    args: dict[str, Any] = field(default_factory=dict)
    expect: tuple[dict[str, Any], ...] = ()
    by: Literal["semantic", "instance", "stable", "region"] = "semantic"
    """How the target is named: role and name, the reference from the first snapshot (its row by `record`), or an id."""
    record: str | None = None
    scope: str | None = None
    between: str | None = None
    """A script that runs in the page after the snapshot and before the action."""
    default: tuple[Answer, ...]
    semantic: tuple[Answer, ...] | None = None
    """The answers with `modes=["semanticUi"]`; None when they equal the default."""
    truth: dict[str, Any] = field(default_factory=dict)
    semantic_truth: dict[str, Any] | None = None
    hits: dict[str, int] = field(default_factory=dict)
    """The number of requests that the server must have counted in this run."""
    timeout_ms: int = 1500
    racy: bool = False

    def answers(self, modes: tuple[str, ...] | None) -> tuple[Answer, ...]:
        return self.semantic if modes and self.semantic is not None else self.default

    def truth_of(self, modes: tuple[str, ...] | None) -> dict[str, Any]:
        return self.semantic_truth if modes and self.semantic_truth is not None else self.truth


DONE = (Answer("succeeded", effects=("applied",)),)
UNVERIFIED = (Answer("failed", "verification_failed", ("unknown",)),)
REFUSED_BY_SERVER = (Answer("failed", "verification_failed", ("unknown",), {"outcome": "backend_failure"}),)
NOT_READY = (Answer("failed", "target_not_interactable", ("none",)),)
AMBIGUOUS = (Answer("failed", "target_ambiguous", ("none",)),)
STALE = (Answer("failed", "stale_target", ("none",)),)
NOT_FOUND = (Answer("failed", "target_not_found", ("none",)),)
NO_SUCH_MODE = (Answer("failed", "execution_mode_unavailable", ("none",)),)
NEEDS_ACTIVATION = (Answer("failed", "user_activation_required", ("unknown",)),)
DIALOG_OPEN = (Answer("failed", "user_activation_required", ("unknown",)),)

SAVED_TOAST = ({"kind": "toast.contains", "text": "Saved"},)

HAZARDS: tuple[Hazard, ...] = (
    Hazard(id="plain", why="the control: a button that works", name="Save", default=DONE, truth={"saved": 1}),
    Hazard(id="dead_button", why="nothing happens", name="Pay now", default=UNVERIFIED, truth={"paid": 0}),
    Hazard(
        id="dead_with_tracking", why="a request was sent, but it only counts clicks", name="Pay now",
        default=UNVERIFIED, truth={"paid": 0, "tracked": 1},
    ),
    Hazard(
        id="recycled_row", why="the node now belongs to another record", name="Delete", by="instance",
        record="user-0", between="recycle()", default=STALE, truth={"deleted": []},
    ),
    Hazard(
        id="recycled_on_press", why="the record changes between check and press", name="Delete", by="instance",
        default=STALE, truth={"deleted": []}, semantic=DONE, semantic_truth={"deleted": ["user-0"]},
        racy=True,
    ),
    Hazard(
        id="overlay_late", why="something else would take the press", name="Buy", default=NOT_READY,
        truth={"bought": 0, "overlay": 0}, semantic=DONE, semantic_truth={"bought": 1, "overlay": 0}, racy=True,
    ),
    Hazard(
        id="disabled_late", why="disabled between check and press", name="Send", default=NOT_READY,
        truth={"sent": 0, "presses": 0}, semantic=DONE, semantic_truth={"sent": 1, "presses": 0}, racy=True,
    ),
    Hazard(
        id="rerender", why="the node is replaced by an equal one: find it again, once", name="Save", default=DONE,
        truth={"saved": 1}, racy=True,
    ),
    Hazard(
        id="rerender_storm", why="re-resolve once, then act or give up; never the wrong row",
        name="Remove bob", default=(*DONE, *STALE), racy=True,
    ),
    Hazard(
        id="moved_button", why="another button moves to its position", name="Keep", default=DONE,
        truth={"kept": 1, "deleted": 0}, racy=True,
    ),
    Hazard(
        id="moving_button", why="it never stops moving", name="Catch", default=NOT_READY, truth={"caught": 0},
        semantic=NOT_READY, semantic_truth={"caught": 0}, racy=True,
    ),
    Hazard(
        id="double_submit", why="a slow answer must not lead to a second press", name="Order", default=DONE,
        truth={"sent": 1}, hits={"count": 1}, timeout_ms=5000,
    ),
    Hazard(id="two_identical", why="two equal buttons", name="Delete", default=AMBIGUOUS, truth={"deleted": []}),
    Hazard(id="two_dialogs", why="one name in two dialogs", name="Save", default=AMBIGUOUS, truth={"saved": []}),
    Hazard(
        id="two_dialogs", why="the scope distinguishes them", name="Save", scope="billing", default=DONE,
        truth={"saved": ["b"]},
    ),
    Hazard(
        id="late_toast", why="the answer takes 800 ms", name="Save", expect=SAVED_TOAST, default=DONE,
        truth={"saved": 1}, timeout_ms=5000,
    ),
    Hazard(
        id="late_toast_timer", why="a timer shows it 800 ms later; the tracer follows it in every mode",
        name="Save", expect=SAVED_TOAST, default=DONE, truth={"saved": 1}, timeout_ms=2500,
    ),
    Hazard(
        id="toast_other", why="the toast belongs to another action", name="Save", expect=SAVED_TOAST,
        between="other()", default=UNVERIFIED, truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="toast_other", why="the same without an expected signal", name="Save", between="other()", default=UNVERIFIED,
        truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="toast_before", why="the toast was there before", name="Save", expect=SAVED_TOAST, default=UNVERIFIED,
        truth={"saved": 0},
    ),
    Hazard(
        id="toast_on_load", why="the page shows the toast after every load", name="Save",
        between="shown", expect=SAVED_TOAST, default=UNVERIFIED, truth={"saved": 0},
    ),
    Hazard(
        id="hold_works", why="the control: held long enough, it opens", name="Unlock", action="x.uiap.longPress",
        default=DONE, truth={"unlocked": 1}, semantic=NO_SUCH_MODE, semantic_truth={"unlocked": 0},
    ),
    Hazard(
        id="hold_dead", why="the change during the press has another cause", name="Unlock",
        action="x.uiap.longPress", default=UNVERIFIED, truth={"unlocked": 0}, semantic=NO_SUCH_MODE,
    ),
    Hazard(
        id="toast_repeats", why="the toast appears by itself", name="Save", expect=SAVED_TOAST, default=UNVERIFIED,
        truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="optimistic_error", why="rolled back, and the server answered 500", name="Like", default=REFUSED_BY_SERVER,
        truth={"likes": 0},
    ),
    Hazard(
        id="optimistic_refused", why="rolled back, although the server answered 200", name="Like", default=UNVERIFIED,
        truth={"likes": 0},
    ),
    Hazard(
        id="disabled_looks_enabled", why="it is disabled", name="Send", default=NOT_READY,
        truth={"sent": 0, "presses": 0}, timeout_ms=500,
    ),
    Hazard(id="aria_disabled", why="it is marked as disabled", name="Send", default=NOT_READY, truth={"sent": 0}),
    Hazard(
        id="input_reformats", why="the field formats the number", role="textbox", name="Phone",
        action="ui.enterText", args={"text": "5551234567"}, default=DONE, truth={"value": "(555) 123-4567"},
    ),
    Hazard(
        id="max_length", why="the text is too long for the field", role="textbox", name="Code", action="ui.enterText",
        args={"text": "abcdefghij"}, default=NOT_READY, truth={"value": ""},
    ),
    Hazard(
        id="controlled_rejects", why="the field keeps its old value", role="textbox", name="Amount",
        action="ui.enterText", args={"text": "five"}, truth={"value": "5"},
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="controlled_later", why="the field restores its old value after a moment", role="textbox", name="Amount",
        action="ui.enterText", args={"text": "7"}, truth={"value": "5"},
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="sticky_header", why="it must be scrolled out from under the header", name="Accept", default=DONE,
        truth={"accepted": 1, "header": 0},
    ),
    Hazard(id="nested_scrollers", why="two nested boxes scroll", name="Agree", default=DONE, truth={"agreed": 1}),
    Hazard(
        id="spinner_forever", why="it began and never ended", name="Import", default=UNVERIFIED,
        truth={"started": 1, "imported": 0},
    ),
    Hazard(
        id="request_forever", why="its request is never answered", name="Import", default=UNVERIFIED,
        truth={"imported": 0},
    ),
    Hazard(
        id="busy_then_done", why="the control: a spinner that ends", name="Import", default=DONE,
        truth={"imported": 1}, timeout_ms=5000,
    ),
    Hazard(
        id="error_behind_toast", why="the page shows success, the server answers 500", name="Save", expect=SAVED_TOAST,
        default=REFUSED_BY_SERVER, truth={"saved": 0},
    ),
    Hazard(
        id="unreachable_behind_toast", why="the page shows success, the server does not answer", name="Save",
        expect=SAVED_TOAST, default=REFUSED_BY_SERVER, truth={"saved": 0},
    ),
    Hazard(
        id="stale_frame", why="the frame holds another document", name="Confirm", by="instance", between="go()",
        default=STALE, truth={"pressed": []},
    ),
    Hazard(
        id="closed_shadow", why="its content must not be read", name="vault", by="region", truth={"unlocked": 0},
        default=(Answer("failed", "closed_shadow_unavailable", ("none",)),),
    ),
    Hazard(
        id="cross_origin", why="its content must not be read", name="Bank", by="region", truth={"paid": 0},
        default=(Answer("failed", "cross_origin_unavailable", ("none",)),),
    ),
    Hazard(id="alert_mid", why="an alert blocks the page", name="Save", default=DIALOG_OPEN, truth={"saved": 1}),
    Hazard(id="confirm_mid", why="the page asks a person", name="Delete", default=DIALOG_OPEN, truth={"deleted": 0}),
    Hazard(
        id="beforeunload", why="the page asks a person after trusted input", role="link",
        name="Leave", default=DIALOG_OPEN, truth={"asked": 1}, semantic=DONE, semantic_truth={"saved": 0},
    ),
    Hazard(
        id="clock_and_poll", why="the page changes by itself", name="Pay now", default=UNVERIFIED, truth={"paid": 0},
        racy=True,
    ),
    Hazard(
        id="clock_and_work", why="the control: the page changes by itself and by the action", name="Save", default=DONE,
        truth={"saved": 1}, racy=True,
    ),
    Hazard(
        id="leave_by_itself", why="the page navigates by itself", name="Pay now", between="leave()",
        default=(*UNVERIFIED, *STALE, *NOT_FOUND, Answer("failed", "internal_runtime_error", ("unknown",))), racy=True,
    ),
    Hazard(id="hidden_twin", why="only one is visible", name="Send", default=DONE, truth={"sent": ["b"]}),
    Hazard(
        id="refresh_button", why="the control: the action repeats an earlier request", name="Refresh",
        default=DONE, truth={"loads": 2},
    ),
    Hazard(id="form_post", why="the control: a new document", name="Create", default=DONE, hits={"form": 1}),
    Hazard(
        id="custom_select", why="boxes without roles: chosen, or reported as failed", role="custom", name="Size",
        action="ui.choose", args={"label": "Large one"}, default=DONE, truth={"size": "Large one"},
        semantic=NO_SUCH_MODE, semantic_truth={"size": "Small"},
    ),
    Hazard(
        id="select_ignores", why="the list closes and keeps its value", role="combobox", name="Size",
        action="ui.choose", args={"label": "Large"}, default=UNVERIFIED, truth={"size": "Small"}, semantic=NO_SUCH_MODE,
    ),
    Hazard(
        id="select_takes_back", why="the choice is reverted", role="combobox", name="Size", action="ui.choose",
        args={"label": "Large"}, truth={"size": "Small"}, semantic=NO_SUCH_MODE, racy=True,
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="slider_springs_back", why="the value is reverted", role="slider", name="Volume", action="ui.setValue",
        args={"value": 70}, truth={"volume": "20"}, racy=True,
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="file_label", why="a file chooser is open and nothing is chosen", name="Choose a file", default=UNVERIFIED,
        truth={"files": 0}, semantic=NEEDS_ACTIVATION,
    ),
    Hazard(
        id="iframe_reload", why="the frame holds another document", name="Confirm", by="instance",
        between="reload()", default=STALE, truth={"pressed": 0},
    ),
    Hazard(
        id="iframe_reload", why="named by role and name, it is found again", name="Confirm", between="reload()",
        default=DONE, truth={"pressed": 1},
    ),
    Hazard(
        id="detached_portal", why="it is removed before the press ends", role="menuitem", name="Archive",
        default=UNVERIFIED, truth={"archived": 0}, semantic=DONE, semantic_truth={"archived": 1},
    ),
    Hazard(
        id="popup_blocked", why="a window opens only with a user gesture", name="Print preview", default=DONE,
        truth={"opened": 1}, semantic=UNVERIFIED, semantic_truth={"opened": 0},
    ),
    Hazard(
        id="clipboard_gated", why="the clipboard needs a user gesture", name="Copy link", default=DONE,
        truth={"copied": 1}, semantic=UNVERIFIED, semantic_truth={"copied": 0},
    ),
    Hazard(
        id="fullscreen_gated", why="full screen needs a user gesture", name="Fill the screen", default=DONE,
        semantic=(*NEEDS_ACTIVATION, *UNVERIFIED), semantic_truth={"full": False},
    ),
    Hazard(
        id="picker_gated", why="the file chooser needs a user gesture, and nothing is chosen", name="Import",
        default=UNVERIFIED, truth={"files": 0}, semantic=NEEDS_ACTIVATION,
    ),
    Hazard(
        id="trusted_only", why="the page accepts only trusted events", name="Vote", default=DONE, truth={"votes": 1},
        semantic=UNVERIFIED, semantic_truth={"votes": 0},
    ),
    Hazard(
        id="hover_menu", why="it is visible only under the pointer", name="Archive", default=NOT_FOUND,
        truth={"archived": 0},
    ),
    Hazard(
        id="virtual_list", why="the list has not rendered it", name="Open user-4000", default=NOT_FOUND,
        truth={"opened": []},
    ),
    Hazard(
        id="canvas_button", why="it is painted on a canvas, without an element", name="Start", default=NOT_FOUND,
        truth={"started": 0},
    ),
    Hazard(
        id="controlled_react", why="the control: the framework accepts the text", role="textbox", name="Name",
        action="ui.enterText", args={"text": "Ada"}, default=DONE, truth={"name": "Ada", "shown": "Ada"},
    ),
    Hazard(
        id="window_mid", why="a window opens; the page itself does not change", name="Report",
        default=(*DONE, *UNVERIFIED), truth={"opened": 1},
    ),
    Hazard(
        id="download_mid", why="a download does not change the page", name="Export", default=(*DONE, *UNVERIFIED),
        truth={"asked": 1},
    ),
    Hazard(id="print_mid", why="a print dialog opens and closes", name="Print", default=DONE, truth={"printed": 1}),
    Hazard(
        id="permission_mid", why="the permission prompt is not answered", name="Locate me", default=UNVERIFIED,
        truth={"located": 0},
    ),
)  # fmt: skip

UNUSED_PAGES: dict[str, str] = {}
"""Pages that are not used yet, with the reason."""
