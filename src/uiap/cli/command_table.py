"""The table of all commands: the one list that dispatch, help, completion and the tests read.

A new command is one module and one row here. Only the standard library is imported, because every session command
reads this table first.
"""

from __future__ import annotations

from typing import NamedTuple

from uiap.client.verbs import VERBS


class CommandEntry(NamedTuple):
    module: str
    summary: str
    """The line that `uiap --help` prints."""
    in_session: bool = False
    """Whether it runs in an open session: parsed by `uiap.cli.session` with argparse, without importing click."""
    verb: str = ""
    """The verb of `uiap.client.verbs` that it is."""


def _session(module: str, summary: str) -> CommandEntry:
    return CommandEntry(f"uiap.cli.{module}", summary, in_session=True)


def _verbs() -> dict[str, CommandEntry]:
    return {
        name.replace("_", "-"): CommandEntry("uiap.cli.verbs", verb.summary, in_session=True, verb=name)
        for name, verb in VERBS.items()
    }


COMMANDS: dict[str, CommandEntry] = {
    **_verbs(),
    "act": _session("session", "Act on an element; succeed only if the effect was observed."),
    "approve": _session("approve", "Answer a confirmation request, as the person."),
    "audit": CommandEntry("uiap.cli.audit", "Show, verify and export the audit log."),
    "build": CommandEntry("uiap.cli.build", "Compile a package into one bundle."),
    "cancel": _session("session", "Cancel a running action."),
    "capabilities": _session("capabilities", "List the available actions and their arguments."),
    "close": _session("session", "Close a session and its browser."),
    "completion": CommandEntry("uiap.cli.completion", "Print a completion script for your shell."),
    "conformance": CommandEntry("uiap.cli.conformance", "Show the requirements and how many a test cites."),
    "demo": CommandEntry("uiap.cli.demo", "Show the product in one minute, on the example application."),
    "dialog": _session("windows", "Show or answer the page's alert, confirm or prompt dialog."),
    "diff": CommandEntry("uiap.cli.diff", "Show what changed in meaning between two bundles."),
    "discover": CommandEntry("uiap.cli.discover", "Explore an application safely into a package to review."),
    "do": _session("steps", "Do several steps in one call, each verified."),
    "doctor": CommandEntry("uiap.cli.doctor", "Check what this machine has and what is missing."),
    "downloads": _session("session_files", "List the downloaded files."),
    "eval": _session("page_files", "Run a JavaScript expression, in a trusted session."),
    "expect": _session("expect", "Check that signals are observed, now or since a revision."),
    "explain": CommandEntry("uiap.cli.explain", "Show which file, import or overlay set a value."),
    "find": _session("session", "Find elements by text, best match first."),
    "handoff": _session("approve", "Report, as the person, the outcome of a step handed to you."),
    "har": _session("page_files", "Save the traffic of the page as HAR."),
    "heal": CommandEntry("uiap.cli.heal", "Propose matchers from successful runs, for review."),
    "init": CommandEntry("uiap.cli.init", "Create a package that builds."),
    "key": CommandEntry("uiap.cli.key", "Create a key to sign bundles with."),
    "log": _session("log", "Show recent console lines and requests of the application."),
    "login": CommandEntry("uiap.cli.login", "Let a person sign in once, and save the login."),
    "mcp": CommandEntry("uiap.cli.mcp", "Serve an agent's tools over the Model Context Protocol."),
    "metrics": CommandEntry("uiap.cli.metrics", "Show success rates, retries, latency and tokens."),
    "observe": _session("session", "Print the page as text, one line per control."),
    "open": CommandEntry("uiap.cli.open", "Open a web application in a browser that stays open."),
    "pdf": _session("page_files", "Save the page as a PDF."),
    "policy": CommandEntry("uiap.cli.policy", "Check policies, preview decisions, compare two policies."),
    "preview": _session("capabilities", "Show what the policy decides about an action."),
    "publish": CommandEntry("uiap.cli.publish", "Publish a bundle that passed its gates to a registry."),
    "record": CommandEntry("uiap.cli.record", "Watch a task once, and write it as a workflow."),
    "replay": CommandEntry("uiap.cli.replay", "Replay a journal and compare the results."),
    "review": CommandEntry("uiap.cli.review", "Decide about the findings of a discovery package."),
    "screenshot": _session("session", "Save a screenshot, with refs drawn on it if wanted."),
    "serve": CommandEntry("uiap.cli.serve", "Serve sessions over WebSocket and HTTP."),
    "skill": CommandEntry("uiap.cli.skill", "Print a skill file that teaches an agent these commands."),
    "state": _session("session_files", "Save a login under a name, or restore it."),
    "tabs": _session("windows", "List, open, show or close tabs."),
    "trace": _session("trace", "Show what an action caused."),
    "validate": CommandEntry("uiap.cli.validate", "Report every problem of a package at once."),
    "viewport": _session("page_files", "Set the size of the page."),
    "wait": _session("expect", "Wait for a change, for signals, or until nothing is loading."),
    "worker": CommandEntry("uiap.cli.worker", "Execute queued and scheduled workflow runs of a database."),
    "workflow": CommandEntry("uiap.cli.workflow", "Run reviewed workflows durably, and control their runs."),
}

SESSION_COMMANDS = tuple(name for name, entry in COMMANDS.items() if entry.in_session)
