"""The settings of a Videoland. This module does not read the environment; the caller does."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.videoland.knobs import Knobs

LANGUAGES = ("en", "de")


@dataclass(frozen=True)
class Settings:
    rows: int = 200
    """The number of videos in a new store."""
    db: str | None = None
    """The SQLite file; without one the data is in memory and ends with the app."""
    password: str = "videoland"
    """The password of both seeded accounts."""
    auto_login: bool = False
    """Honour `?as=admin` and `?as=viewer` (demo and benchmarks only)."""
    truth: bool = False
    """Serve /__truth, /__writes and /__reset."""
    knobs: Knobs = field(default_factory=Knobs)
    """The initial knobs; POST /__knobs and `?knob=` change them later."""
    allow_knobs: bool = True
    """Honour `?knob=` and serve /__knobs."""
    language: str | None = None
    """Fixed default language instead of Accept-Language."""
    host: str = "127.0.0.1"
    port: int = 0
    billing_port: int = 0
