"""Every hazard: the task, what an honest tool answers in each mode, and what the page must say of itself then.

Plain data, no UIAP types: any tool can be measured with it. `truth` holds whatever was answered.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["succeeded", "failed"]


@dataclass(frozen=True)
class Answer:
    """One honest ending. `effects` are the side-effect words that would be true."""

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
    """How the target is named: role and name, the reference seen first (its row by `record`), or an id."""
    record: str | None = None
    scope: str | None = None
    between: str | None = None
    """Run in the page after it was looked at and before the action: what happens meanwhile."""
    default: tuple[Answer, ...]
    semantic: tuple[Answer, ...] | None = None
    """With `modes=["semanticUi"]`; as the default where it is the same."""
    truth: dict[str, Any] = field(default_factory=dict)
    semantic_truth: dict[str, Any] | None = None
    hits: dict[str, int] = field(default_factory=dict)
    """What the server must have counted in this run."""
    timeout_ms: int = 1500
    racy: bool = False

    def answers(self, modes: tuple[str, ...] | None) -> tuple[Answer, ...]:
        return self.semantic if modes and self.semantic is not None else self.default

    def truth_of(self, modes: tuple[str, ...] | None) -> dict[str, Any]:
        return self.semantic_truth if modes and self.semantic_truth is not None else self.truth


DONE = (Answer("succeeded", effects=("applied",)),)
UNSEEN = (Answer("failed", "verification_failed", ("unknown",)),)
REFUSED_BY_SERVER = (Answer("failed", "verification_failed", ("unknown",), {"outcome": "backend_failure"}),)
NOT_ENTERED = (Answer("failed", "verification_failed", ("applied", "unknown")),)
NOT_READY = (Answer("failed", "target_not_interactable", ("none",)),)
AMBIGUOUS = (Answer("failed", "target_ambiguous", ("none",)),)
STALE = (Answer("failed", "stale_target", ("none",)),)
NOT_FOUND = (Answer("failed", "target_not_found", ("none",)),)
NO_SUCH_MODE = (Answer("failed", "execution_mode_unavailable", ("none",)),)
NEEDS_A_HAND = (Answer("failed", "user_activation_required", ("unknown",)),)
ASKED = (Answer("failed", "user_activation_required", ("unknown",)),)

SAVED_TOAST = ({"kind": "toast.contains", "text": "Saved"},)

HAZARDS: tuple[Hazard, ...] = (
    Hazard(id="plain", why="the control: a button that works", name="Save", default=DONE, truth={"saved": 1}),
    Hazard(id="dead_button", why="nothing happens", name="Pay now", default=UNSEEN, truth={"paid": 0}),
    Hazard(
        id="dead_with_tracking", why="a request was sent, but it only counts clicks", name="Pay now",
        default=UNSEEN, truth={"paid": 0, "tracked": 1},
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
        id="moved_button", why="another button stands where it was", name="Keep", default=DONE,
        truth={"kept": 1, "deleted": 0}, racy=True,
    ),
    Hazard(
        id="moving_button", why="it never holds still", name="Catch", default=NOT_READY, truth={"caught": 0},
        semantic=NOT_READY, semantic_truth={"caught": 0}, racy=True,
    ),
    Hazard(
        id="double_submit", why="a slow answer must not lead to a second press", name="Order", default=DONE,
        truth={"sent": 1}, hits={"count": 1}, timeout_ms=5000,
    ),
    Hazard(id="two_identical", why="nothing tells them apart", name="Delete", default=AMBIGUOUS, truth={"deleted": []}),
    Hazard(id="two_dialogs", why="one name, two places", name="Save", default=AMBIGUOUS, truth={"saved": []}),
    Hazard(
        id="two_dialogs", why="the scope tells them apart", name="Save", scope="billing", default=DONE,
        truth={"saved": ["b"]},
    ),
    Hazard(
        id="late_toast", why="the answer takes 800 ms", name="Save", expect=SAVED_TOAST, default=DONE,
        truth={"saved": 1}, timeout_ms=5000,
    ),
    Hazard(
        id="late_toast_timer", why="a timer says it 800 ms later; only trusted input can be followed that far",
        name="Save", expect=SAVED_TOAST, default=DONE, semantic=UNSEEN, truth={"saved": 1}, timeout_ms=2500,
    ),
    Hazard(
        id="toast_other", why="the toast belongs to another action", name="Save", expect=SAVED_TOAST,
        between="other()", default=UNSEEN, truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="toast_other", why="the same, with nothing named", name="Save", between="other()", default=UNSEEN,
        truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="toast_before", why="it was there before", name="Save", expect=SAVED_TOAST, default=UNSEEN,
        truth={"saved": 0},
    ),
    Hazard(
        id="toast_on_load", why="the page says so whenever it is loaded, and it was only loaded", name="Save",
        between="shown", expect=SAVED_TOAST, default=UNSEEN, truth={"saved": 0},
    ),
    Hazard(
        id="hold_works", why="the control: held long enough, it opens", name="Unlock", action="x.uiap.longPress",
        default=DONE, truth={"unlocked": 1}, semantic=NO_SUCH_MODE, semantic_truth={"unlocked": 0},
    ),
    Hazard(
        id="hold_dead", why="what happened while it was held was set going by something else", name="Unlock",
        action="x.uiap.longPress", default=UNSEEN, truth={"unlocked": 0}, semantic=NO_SUCH_MODE,
    ),
    Hazard(
        id="toast_repeats", why="it comes by itself", name="Save", expect=SAVED_TOAST, default=UNSEEN,
        truth={"saved": 0}, racy=True,
    ),
    Hazard(
        id="optimistic_error", why="taken back, and the server said 500", name="Like", default=REFUSED_BY_SERVER,
        truth={"likes": 0},
    ),
    Hazard(
        id="optimistic_refused", why="taken back, though the server said 200", name="Like", default=UNSEEN,
        truth={"likes": 0},
    ),
    Hazard(
        id="disabled_looks_enabled", why="it is disabled", name="Send", default=NOT_READY,
        truth={"sent": 0, "presses": 0}, timeout_ms=500,
    ),
    Hazard(id="aria_disabled", why="it says it is disabled", name="Send", default=NOT_READY, truth={"sent": 0}),
    Hazard(
        id="input_reformats", why="the field holds something else", role="textbox", name="Phone",
        action="ui.enterText", args={"text": "5551234567"}, default=NOT_ENTERED, truth={"value": "(555) 123-4567"},
    ),
    Hazard(
        id="max_length", why="the field kept a part", role="textbox", name="Code", action="ui.enterText",
        args={"text": "abcdefghij"}, default=NOT_ENTERED, truth={"value": "abcde"},
    ),
    Hazard(
        id="controlled_rejects", why="the field kept its own", role="textbox", name="Amount",
        action="ui.enterText", args={"text": "five"}, truth={"value": "5"},
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="controlled_later", why="the field went back a moment later", role="textbox", name="Amount",
        action="ui.enterText", args={"text": "7"}, truth={"value": "5"},
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="sticky_header", why="it must be scrolled clear of the bar", name="Accept", default=DONE,
        truth={"accepted": 1, "header": 0},
    ),
    Hazard(id="nested_scrollers", why="two boxes to scroll", name="Agree", default=DONE, truth={"agreed": 1}),
    Hazard(
        id="spinner_forever", why="it began and never ended", name="Import", default=UNSEEN,
        truth={"started": 1, "imported": 0},
    ),
    Hazard(
        id="request_forever", why="what it asked for never came", name="Import", default=UNSEEN,
        truth={"imported": 0},
    ),
    Hazard(
        id="busy_then_done", why="the control: a spinner that ends", name="Import", default=DONE,
        truth={"imported": 1}, timeout_ms=5000,
    ),
    Hazard(
        id="error_behind_toast", why="the page says saved, the server says 500", name="Save", expect=SAVED_TOAST,
        default=REFUSED_BY_SERVER, truth={"saved": 0},
    ),
    Hazard(
        id="unreachable_behind_toast", why="the page says saved, nobody answered", name="Save",
        expect=SAVED_TOAST, default=REFUSED_BY_SERVER, truth={"saved": 0},
    ),
    Hazard(
        id="stale_frame", why="the frame holds another document", name="Confirm", by="instance", between="go()",
        default=STALE, truth={"pressed": []},
    ),
    Hazard(
        id="closed_shadow", why="nobody may look inside", name="vault", by="region", truth={"unlocked": 0},
        default=(Answer("failed", "closed_shadow_unavailable", ("none",)),),
    ),
    Hazard(
        id="cross_origin", why="nobody may look inside", name="Bank", by="region", truth={"paid": 0},
        default=(Answer("failed", "cross_origin_unavailable", ("none",)),),
    ),
    Hazard(id="alert_mid", why="the page stands still", name="Save", default=ASKED, truth={"saved": 1}),
    Hazard(id="confirm_mid", why="the page asks a person", name="Delete", default=ASKED, truth={"deleted": 0}),
    Hazard(
        id="beforeunload", why="the page asks a person, where a person's input came before", role="link",
        name="Leave", default=ASKED, truth={"asked": 1}, semantic=DONE, semantic_truth={"saved": 0},
    ),
    Hazard(
        id="clock_and_poll", why="things move, but not by us", name="Pay now", default=UNSEEN, truth={"paid": 0},
        racy=True,
    ),
    Hazard(
        id="clock_and_work", why="the control: things move, and by us too", name="Save", default=DONE,
        truth={"saved": 1}, racy=True,
    ),
    Hazard(
        id="leave_by_itself", why="the page leaves, but not by us", name="Pay now", between="leave()",
        default=(*UNSEEN, *STALE, *NOT_FOUND, Answer("failed", "internal_runtime_error", ("unknown",))), racy=True,
    ),
    Hazard(id="hidden_twin", why="only one can be seen", name="Send", default=DONE, truth={"sent": ["b"]}),
    Hazard(
        id="refresh_button", why="the control: what was asked before is asked again by us", name="Refresh",
        default=DONE, truth={"loads": 2},
    ),
    Hazard(id="form_post", why="the control: a new document", name="Create", default=DONE, hits={"form": 1}),
    Hazard(
        id="custom_select", why="boxes without roles: chosen, or not claimed", role="custom", name="Size",
        action="ui.choose", args={"label": "Large one"}, default=DONE, truth={"size": "Large one"},
        semantic=NO_SUCH_MODE, semantic_truth={"size": "Small"},
    ),
    Hazard(
        id="select_ignores", why="the list closed and kept what it had", role="combobox", name="Size",
        action="ui.choose", args={"label": "Large"}, default=UNSEEN, truth={"size": "Small"}, semantic=NO_SUCH_MODE,
    ),
    Hazard(
        id="select_takes_back", why="the choice was taken back", role="combobox", name="Size", action="ui.choose",
        args={"label": "Large"}, truth={"size": "Small"}, semantic=NO_SUCH_MODE, racy=True,
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="slider_springs_back", why="the value went back", role="slider", name="Volume", action="ui.setValue",
        args={"value": 70}, truth={"volume": "20"}, racy=True,
        default=(Answer("failed", "verification_failed", ("none", "unknown")),),
    ),
    Hazard(
        id="file_label", why="a chooser stands open and holds nothing", name="Choose a file", default=UNSEEN,
        truth={"files": 0}, semantic=NEEDS_A_HAND,
    ),
    Hazard(
        id="iframe_reload", why="the frame holds another document", name="Confirm", by="instance",
        between="reload()", default=STALE, truth={"pressed": 0},
    ),
    Hazard(
        id="iframe_reload", why="named by what it is, it is found again", name="Confirm", between="reload()",
        default=DONE, truth={"pressed": 1},
    ),
    Hazard(
        id="detached_portal", why="it was gone before the press ended", role="menuitem", name="Archive",
        default=(Answer("failed", "internal_runtime_error", ("unknown",)),), truth={"archived": 0},
        semantic=DONE, semantic_truth={"archived": 1},
    ),
    Hazard(
        id="popup_blocked", why="a window opens only under a hand", name="Print preview", default=DONE,
        truth={"opened": 1}, semantic=UNSEEN, semantic_truth={"opened": 0},
    ),
    Hazard(
        id="clipboard_gated", why="the clipboard opens only under a hand", name="Copy link", default=DONE,
        truth={"copied": 1}, semantic=UNSEEN, semantic_truth={"copied": 0},
    ),
    Hazard(
        id="fullscreen_gated", why="the screen is filled only under a hand", name="Fill the screen", default=DONE,
        semantic=(*NEEDS_A_HAND, *UNSEEN), semantic_truth={"full": False},
    ),
    Hazard(
        id="picker_gated", why="the chooser opens only under a hand, and holds nothing by itself", name="Import",
        default=UNSEEN, truth={"files": 0}, semantic=NEEDS_A_HAND,
    ),
    Hazard(
        id="trusted_only", why="the page wants a hand", name="Vote", default=DONE, truth={"votes": 1},
        semantic=UNSEEN, semantic_truth={"votes": 0},
    ),
    Hazard(
        id="hover_menu", why="it is there only under the pointer", name="Archive", default=NOT_FOUND,
        truth={"archived": 0},
    ),
    Hazard(
        id="virtual_list", why="the list has not drawn it", name="Open user-4000", default=NOT_FOUND,
        truth={"opened": []},
    ),
    Hazard(
        id="canvas_button", why="it is painted, and no element", name="Start", default=NOT_FOUND,
        truth={"started": 0},
    ),
    Hazard(
        id="controlled_react", why="the control: the framework takes it", role="textbox", name="Name",
        action="ui.enterText", args={"text": "Ada"}, default=DONE, truth={"name": "Ada", "shown": "Ada"},
    ),
    Hazard(
        id="window_mid", why="a window came up; the page itself did nothing", name="Report",
        default=(*DONE, *UNSEEN), truth={"opened": 1},
    ),
    Hazard(
        id="download_mid", why="a download is no change of the page", name="Export", default=(*DONE, *UNSEEN),
        truth={"asked": 1},
    ),
    Hazard(id="print_mid", why="a print dialog comes up and goes", name="Print", default=DONE, truth={"printed": 1}),
    Hazard(
        id="permission_mid", why="nobody answers the browser's question", name="Locate me", default=UNSEEN,
        truth={"located": 0},
    ),
)  # fmt: skip

UNPROVEN: dict[str, str] = {}
"""Pages that wait for something, and for what."""
