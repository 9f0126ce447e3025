"""The order form as tasks: frameworks, scenarios, and the truth that the server stores.

Half of the scenarios must succeed, half must fail. A task belongs to the tuning or to the measuring half by its hash.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Literal

Half = Literal["tune", "measure"]
CLIENT_SIDE = ("react", "vue3", "svelte5", "angular")
SERVER_SIDE = ("htmx", "django", "ujs", "socket")
SLOW_S, LATER_S = 0.7, 0.3
TITLE, PHONE = "Seven lamps", "5551234567"


@dataclass(frozen=True)
class Scenario:
    """One situation: the action of the task, and whether it can succeed."""

    id: str
    action: str
    target: dict[str, Any]
    succeeds: bool
    args: dict[str, Any] = field(default_factory=dict)
    title: str = TITLE
    """The title that is typed before the action; empty for none."""
    client_only: bool = False


_SAVE = {"role": "button", "name": "Save"}
_PAID = {"role": "checkbox", "name": "Paid"}
_ENTER = {"role": "textbox", "name": "Title"}

SCENARIOS = (
    Scenario("saved", "ui.activate", _SAVE, True),
    Scenario("slow", "ui.activate", _SAVE, True),
    Scenario("optimistic", "ui.activate", _SAVE, True, client_only=True),
    Scenario("enter", "x.uiap.press", _ENTER, True, {"key": "Enter"}),
    Scenario("paid", "ui.toggle", _PAID, True, title=""),
    Scenario("deleted", "ui.activate", {"role": "button", "near": "First order"}, True, title=""),
    Scenario(
        "format",
        "ui.enterText",
        {"role": "textbox", "name": "Phone"},
        True,
        {"text": PHONE},
        "",
        client_only=True,
    ),
    Scenario("error", "ui.activate", _SAVE, False),
    Scenario("rollback", "ui.activate", _SAVE, False, client_only=True),
    Scenario("rejected", "ui.activate", _SAVE, False),
    Scenario("invalid", "ui.activate", _SAVE, False, title=""),
    Scenario("nothing", "ui.activate", _SAVE, False),
    Scenario("unpaid", "ui.toggle", _PAID, False, title=""),
    Scenario("refused", "ui.activate", _SAVE, False, client_only=True),
    Scenario(
        "letters",
        "ui.enterText",
        {"role": "textbox", "name": "Amount"},
        False,
        {"text": "ten"},
        "",
        client_only=True,
    ),
)


@dataclass(frozen=True)
class OrderTask:
    framework: str
    scenario: Scenario

    @property
    def id(self) -> str:
        return f"{self.framework}-{self.scenario.id}"

    @property
    def half(self) -> Half:
        return "tune" if sha256(self.id.encode()).digest()[0] % 2 else "measure"


ORDER_TASKS = tuple(
    OrderTask(framework, scenario)
    for framework in (*CLIENT_SIDE, *SERVER_SIDE)
    for scenario in SCENARIOS
    if framework in CLIENT_SIDE or not scenario.client_only
)


@dataclass
class OrderBook:
    """The orders of one trial, as the server stores them."""

    scenario: str = ""
    rows: dict[int, str] = field(default_factory=lambda: {1: "First order"})
    paid: bool = False
    message: str = ""
    error: str = ""
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def delay_s(self) -> float:
        return {"slow": SLOW_S, "rollback": LATER_S, "refused": LATER_S, "unpaid": LATER_S}.get(
            self.scenario, 0.0
        )

    def save(self, title: str) -> tuple[int, dict[str, Any]]:
        """Store an order, or return why not, as a status and a body."""
        with self.lock:
            self.message = self.error = ""
            if not title.strip():
                self.error = "Title is required"
                return 422, {"message": self.error}
            if self.scenario == "rejected":
                self.error = "This title is taken"
                return 422, {"message": self.error}
            if self.scenario in ("error", "rollback"):
                self.message = "Saving failed, try again later"
                return 500 if self.scenario == "error" else 409, {"message": self.message}
            if self.scenario == "refused":
                return 200, {"ok": False, "message": "limit reached"}
            self.rows[max(self.rows, default=0) + 1] = title
            self.message = "Saved"
            return 201, {"ok": True}

    def pay(self, paid: bool) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.message = self.error = ""
            if self.scenario == "unpaid":
                self.message = "Payment declined"
                return 402, {"message": self.message}
            self.paid = paid
            return 200, {"ok": True}

    def remove(self, id: int) -> tuple[int, dict[str, Any]]:
        with self.lock:
            self.rows.pop(id, None)
            self.message, self.error = "Deleted", ""
            return 200, {"ok": True}

    def happened(self) -> bool:
        """Return whether the effect that the scenario is about is stored."""
        if self.scenario in ("paid", "unpaid"):
            return self.paid
        if self.scenario == "deleted":
            return not self.rows
        return TITLE in self.rows.values()
