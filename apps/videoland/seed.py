"""The rows of a fresh Videoland: the same every time, for any number of videos."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.videoland.password import hashed

CATEGORIES = ("onboarding", "tutorial", "demo", "interview", "event")
USE_CASES = ("support", "training", "marketing", "sales", "internal", "product", "recruiting", "compliance")
VISIBILITIES = ("private", "team", "public")
STATUSES = ("draft", "published", "archived")
NOTIFICATIONS = ("comments", "weekly", "mentions", "product")

_TOPICS = (
    "Welcome tour", "Quarterly update", "Customer story", "Release highlights", "Security basics",
    "Brand guidelines", "API walkthrough", "Sales pitch", "Support playbook", "Team introduction",
    "Accessibility check", "Live workshop", "Pricing explained", "Roadmap preview", "Conference talk",
)  # fmt: skip
_NEWEST = datetime(2026, 3, 26, 14, 0, tzinfo=UTC)

VIDEO_COLUMNS = (
    "title", "description", "category", "use_case", "visibility", "subtitles", "notify", "quality", "volume",
    "duration", "release_date", "release_time", "file_name", "file_size", "status", "views", "updated_at",
)  # fmt: skip
ACCOUNT_COLUMNS = ("email", "name", "role", "password", "job", "notifications")
INVITATION_COLUMNS = ("email", "role", "sent_at")
INVITATIONS = (
    ("noor@partner.example", "viewer", "2026-03-20T09:15:00.000+00:00"),
    ("sami@partner.example", "admin", "2026-03-24T16:40:00.000+00:00"),
)


def insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"


def videos(count: int) -> Iterator[tuple[Any, ...]]:
    for number in range(1, count + 1):
        updated = _NEWEST - timedelta(hours=number * 3)
        yield (
            f"{_TOPICS[number % len(_TOPICS)]} {number:05d}",
            f"Episode {number} of the series {_TOPICS[number % len(_TOPICS)]}.",
            CATEGORIES[number % len(CATEGORIES)],
            USE_CASES[number % len(USE_CASES)],
            VISIBILITIES[number % len(VISIBILITIES)],
            number % 2, 0, 40 + number % 12 * 5, number * 7 % 101, 1 + number * 13 % 90,
            updated.date().isoformat(), f"{updated.hour:02d}:30",
            f"episode-{number:05d}.mp4", 1_000_000 + number * 977,
            STATUSES[number * 5 % 7 % 3],
            number * 7919 % 20_000,
            updated.isoformat(timespec="milliseconds"),
        )  # fmt: skip


def accounts(password: str) -> Iterator[tuple[str, ...]]:
    switches = json.dumps({name: name in ("comments", "mentions") for name in NOTIFICATIONS})
    yield "admin@videoland.example", "Ada Brunner", "admin", hashed(password), "Head of video", switches
    yield "viewer@videoland.example", "Vito Keller", "viewer", hashed(password), "Marketing", switches
