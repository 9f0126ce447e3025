"""Soaks of the doors: crowds of sessions, attackers among them, kills, and what the official MCP tools say."""

from __future__ import annotations

import asyncio
import os

from tools.cases.case import Case, Figures


def run_sessions(unit: str) -> Figures:
    from tests.server import sessions

    return asyncio.run(sessions.row(200) if unit == "in a row" else sessions.crowd(10, 20, seed=7))


def judge_sessions(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import sessions

    return sessions.wrong(all_figures)


CROWD, CROWD_SECONDS = (
    int(os.environ.get("UIAP_SOAK_SESSIONS", "1000")),
    float(os.environ.get("UIAP_SOAK_SECONDS", "600")),
)
BESIEGED = ("ramp", "slow handshakes", "frames of 64 MiB", "pings", "compression bomb", "never reading")


CROWD_PACE = {"fake executor": 1.0, "whole path": 4.0}


def run_crowd(unit: str) -> Figures:
    from tests.server import crowd

    return asyncio.run(crowd.together(CROWD, CROWD_SECONDS, unit, CROWD_PACE[unit]))


def judge_crowd(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import crowd

    return [f"{unit}: {wrong}" for unit, seen in all_figures.items() for wrong in crowd.wrong_together(seen)]


def run_siege(unit: str) -> Figures:
    from tests.server import siege

    return asyncio.run(siege.besieged(unit))


def judge_siege(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import siege

    return [wrong for unit, figures in all_figures.items() for wrong in siege.wrong_besieged(unit, figures)]


def run_mcp(unit: str) -> Figures:
    import re

    from bench import mcp

    environ = mcp.node()
    if environ is None:
        return {"skipped": "needs npm"}
    if unit == "inspector":
        return {"tools listed over stdio": asyncio.run(mcp.inspected(environ))}
    if unit == "offered":
        passed, failed, wrong = asyncio.run(mcp.conformance(environ))
        return {"passed": passed, "failed": failed, "wrong": " ".join(wrong) or "none"}
    told = asyncio.run(mcp.active(environ))
    ((passed, failed),) = re.findall(r"Total: (\d+) passed, (\d+) failed", told)
    return {"passed": int(passed), "failed": int(failed)}


def judge_mcp(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"{unit}: {seen}" for unit, seen in all_figures.items() if seen.get("failed") or "skipped" in seen
    ]


GUESSES = {"in this process": 1_000_000, "over HTTP": 5_000}


def run_guesses(unit: str) -> Figures:
    from tests.server import guesses

    count = GUESSES[unit]
    return guesses.inside(count) if unit == "in this process" else asyncio.run(guesses.over_http(count))


def judge_guesses(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import guesses

    return [f"{unit}: {wrong}" for unit, seen in all_figures.items() for wrong in guesses.wrong(seen)]


def run_spellings(_unit: str) -> Figures:
    from tests.drivers.spellings import urls
    from uiap.drivers.reach import Reach

    reach, tried = Reach(()), list(urls())
    return {"addresses": len(tried), "let through": sum(reach.refusal(url) is None for url in tried)}


def judge_spellings(all_figures: dict[str, Figures]) -> list[str]:
    return [f"{seen['let through']} let through" for seen in all_figures.values() if seen["let through"]]


CASES: dict[str, Case] = {
    "P1": Case(
        "a thousand sessions at once: none hears of another, nothing is lost, and all are answered in time",
        f"{CROWD:,} sessions for {CROWD_SECONDS:g} s, 200 canned nodes; an action a second each with a fake executor; "
        "one in four seconds each with runtime, policy, ledger, journal, audit and trace, on pages in memory",
        tuple(CROWD_PACE),
        run_crowd,
        judge_crowd,
    ),
    "P2": Case(
        "attackers among polite sessions: caps hold, others go on, memory comes back",
        "5,000 connections, 200 slow handshakes, 50 frames of 64 MiB, ping floods, compression bombs, 20 never reading",
        BESIEGED,
        run_siege,
        judge_siege,
    ),
    "P10": Case(
        "guessed tokens and session ids",
        "1,000,000 guesses at the gate in one process, near misses among them; 5,000 more over HTTP on loopback",
        tuple(GUESSES),
        run_guesses,
        judge_guesses,
    ),
    "P11": Case(
        "addresses of the inside, in every spelling we know",
        "each family once: other bases and parts, IPv6 around IPv4, other alphabets, users, ports",
        ("spellings",),
        run_spellings,
        judge_spellings,
    ),
    "SESSIONS": Case(
        "sessions of a server over a pool of browsers, with random kills of client, browser and server",
        "200 opened and closed in a row; 10 rounds of 20 at once over at most 4 browsers",
        ("in a row", "at once"),
        run_sessions,
        judge_sessions,
    ),
    "MCP": Case(
        "the official conformance tool and inspector against the MCP server",
        "every scenario of what is offered; the whole active suite on a fixture over the same transport",
        ("offered", "active", "inspector"),
        run_mcp,
        judge_mcp,
    ),
}
