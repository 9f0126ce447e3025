"""The chapter of the demo about an unknown application: explore it, review, build, and act by names of a person."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from typing import Any, Protocol

from uiap.cli.demo_site import server_truth, set_knob

_CREATE = "action:candidate.videos-new.create-video"
_BUTTON = "element:/videos/new|form.new-video|button|create video"
_NEW_LABEL = "Create the video"
Run = Callable[..., "subprocess.CompletedProcess[str]"]
"""Runs one `uiap` command in the folder of the chapter and checks its exit code."""


class Steps(Protocol):
    """Prints the steps of the demo and runs their checks."""

    def step(self, title: str) -> None: ...
    def check(self, passed: bool, description: str) -> None: ...


def show_knowledge(chapter: Steps, uiap: Run, url: str) -> None:
    """Show the chapter at the address of an application without annotations."""
    try:
        _explore_and_review(chapter, uiap, url)
        _act_by_meaning(chapter, uiap, url)
        _act_after_a_new_label(chapter, uiap, url)
    finally:
        uiap("close")


def _page(url: str) -> str:
    return f"{url}/videos/new?as=admin&lang=en"


def _explore_and_review(chapter: Steps, uiap: Run, url: str) -> None:
    chapter.step(
        "An application without annotations is explored, and a person names what `uiap review found --list` shows"
    )
    bounds = ("--max-states", "2", "--max-transitions", "4", "--no-ax", "--no-sitemap")
    before = _videos(url)
    uiap("discover", _page(url), *bounds, "--out", "found")
    uiap(
        "review",
        "found",
        "--accept-where",
        "kind=element",
        "--accept",
        _CREATE,
        "--rename",
        f"{_CREATE}=video.create",
    )
    chapter.check(_videos(url) == before, "the exploration changed nothing on the server")


def _act_by_meaning(chapter: Steps, uiap: Run, url: str) -> None:
    chapter.step("The accepted findings become a bundle, and an agent asks for `video.create`")
    _build(uiap, "knowledge")
    before = _videos(url)
    uiap("open", _page(url), "--bundle", "knowledge.json", "--trusted")
    uiap("act", "video.create", "--arg", "title=By its meaning")
    made: Any = server_truth(url)
    created = made["videos"] - before
    title = (made["lastCreated"] or {}).get("title")
    chapter.check(
        (created, title) == (1, "By its meaning"), f"the server agrees: {created} new video, `{title}`"
    )


def _act_after_a_new_label(chapter: Steps, uiap: Run, url: str) -> None:
    chapter.step("The button gets another label: nothing is guessed, and a new name in the review mends it")
    set_knob(url, "redesign", True)
    before = _videos(url)
    uiap("open", _page(url), "--bundle", "knowledge.json", "--trusted")
    uiap("act", "video.create", "--arg", "title=After the redesign", code=1)
    chapter.check(_videos(url) == before, "it was refused, and the server created no video")
    uiap("review", "found", "--rename", f"{_BUTTON}={_NEW_LABEL}")
    _build(uiap, "renamed")
    uiap("open", _page(url), "--bundle", "renamed.json", "--trusted")
    uiap("act", "video.create", "--arg", "title=After the redesign")
    chapter.check(_videos(url) == before + 1, "the same request works again, and the server has 1 new video")
    set_knob(url, "redesign", False)


def _build(uiap: Run, name: str) -> None:
    uiap("init", name, "--app", "videoland", "--from-discovery", "found/reviewed.json")
    uiap("build", name, "--channel", "dev", "--out", f"{name}.json", lines=1)


def _videos(url: str) -> int:
    return int(server_truth(url)["videos"])
