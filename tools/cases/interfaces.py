"""Soak cases of the interfaces: many sessions, attackers, kills, and the official MCP tools."""

from __future__ import annotations

import asyncio
import os

from tools.cases.case import Case, Figures


def run_sessions(unit: str) -> Figures:
    from tests.server import session_soak

    run = session_soak.run_in_a_row(200) if unit == "in a row" else session_soak.run_at_once(10, 20, seed=7)
    return asyncio.run(run)


def judge_sessions(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import session_soak

    return session_soak.failures(all_figures)


CROWD, CROWD_SECONDS = (
    int(os.environ.get("UIAP_SOAK_SESSIONS", "1000")),
    float(os.environ.get("UIAP_SOAK_SECONDS", "600")),
)
ATTACKS = ("ramp", "slow handshakes", "frames of 64 MiB", "pings", "compression bomb", "never reading")


CROWD_PACE = {"fake executor": 1.0, "whole path": 4.0}


def run_crowd(unit: str) -> Figures:
    from tests.server import load

    return asyncio.run(load.run_sessions(CROWD, CROWD_SECONDS, unit, CROWD_PACE[unit]))


def judge_crowd(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import load

    return [f"{unit}: {wrong}" for unit, found in all_figures.items() for wrong in load.failures(found)]


def run_siege(unit: str) -> Figures:
    from tests.server import attacks

    return asyncio.run(attacks.run_attack(unit))


def judge_siege(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import attacks

    return [wrong for unit, figures in all_figures.items() for wrong in attacks.failures(unit, figures)]


def run_mcp(unit: str) -> Figures:
    import re

    from bench import mcp

    environ = mcp.node_environment()
    if environ is None:
        return {"skipped": "needs npm"}
    if unit == "inspector":
        return {"tools listed over stdio": asyncio.run(mcp.inspector_lists_tools(environ))}
    if unit == "offered":
        passed, failed, wrong = asyncio.run(mcp.conformance(environ))
        return {"passed": passed, "failed": failed, "wrong": " ".join(wrong) or "none"}
    output = asyncio.run(mcp.active_suite(environ))
    ((passed, failed),) = re.findall(r"Total: (\d+) passed, (\d+) failed", output)
    return {"passed": int(passed), "failed": int(failed)}


def judge_mcp(all_figures: dict[str, Figures]) -> list[str]:
    return [
        f"{unit}: {found}" for unit, found in all_figures.items() if found.get("failed") or "skipped" in found
    ]


GUESSES = {"in this process": 1_000_000, "over HTTP": 5_000}


def run_guesses(unit: str) -> Figures:
    from tests.server import token_guesses

    count = GUESSES[unit]
    in_process = unit == "in this process"
    return (
        token_guesses.guess_in_process(count)
        if in_process
        else asyncio.run(token_guesses.guess_over_http(count))
    )


def judge_guesses(all_figures: dict[str, Figures]) -> list[str]:
    from tests.server import token_guesses

    return [
        f"{unit}: {wrong}" for unit, found in all_figures.items() for wrong in token_guesses.failures(found)
    ]


def run_spellings(_unit: str) -> Figures:
    from tests.drivers.spellings import urls
    from uiap.drivers.reach import Reach

    reach, tried = Reach(()), list(urls())
    return {"addresses": len(tried), "let through": sum(reach.refusal(url) is None for url in tried)}


def judge_spellings(all_figures: dict[str, Figures]) -> list[str]:
    return [f"{found['let through']} let through" for found in all_figures.values() if found["let through"]]


def run_wheel(_unit: str) -> Figures:
    from tests.support import wheel

    return wheel.install_in_empty_environment()


CASES: dict[str, Case] = {
    "P1": Case(
        "A thousand sessions at once",
        "Sessions do not see each other's messages, no message is lost, and all requests are answered in time.",
        f"{CROWD:,} sessions for {CROWD_SECONDS:g} s on pages in memory with 200 nodes; one action per second and "
        "session with a fake executor; one per four seconds with runtime, policy, ledger, journal, audit and trace",
        tuple(CROWD_PACE),
        run_crowd,
        judge_crowd,
    ),
    "P2": Case(
        "Attackers among regular sessions",
        "Limits hold, regular sessions continue, and memory is released after an attack.",
        "5,000 connections, 200 slow handshakes, 50 frames of 64 MiB, ping floods, compression bombs, 20 not reading",
        ATTACKS,
        run_siege,
        judge_siege,
    ),
    "P10": Case(
        "Guessed tokens and session ids",
        "Guessing a token or a session id does not succeed.",
        "1,000,000 guesses in one process, near misses among them; 5,000 more over HTTP on loopback",
        tuple(GUESSES),
        run_guesses,
        judge_guesses,
    ),
    "P11": Case(
        "Spellings of internal addresses",
        "Every known spelling of an internal address is refused.",
        "each family once: other bases and parts, IPv6 around IPv4, other alphabets, users, ports",
        ("spellings",),
        run_spellings,
        judge_spellings,
    ),
    "SESSIONS": Case(
        "Server sessions with random kills",
        "A server with a pool of browsers survives kills of client, browser and server without a leak.",
        "200 sessions opened and closed one after the other; 10 rounds of 20 at once with at most 4 browsers",
        ("in a row", "at once"),
        run_sessions,
        judge_sessions,
    ),
    "MCP": Case(
        "MCP conformance and inspector",
        "The MCP server passes the official conformance tool and works with the official inspector.",
        "every scenario of the offered features; the whole active suite on a fixture over the same transport",
        ("offered", "active", "inspector"),
        run_mcp,
        judge_mcp,
    ),
    "WHEEL": Case(
        "Installation of the wheel",
        "The built wheel installs with its dependencies into an empty environment and runs without Node.",
        "one environment; imports the package, runs `uiap --help` and `uiap doctor`",
        ("empty environment",),
        run_wheel,
    ),
}
