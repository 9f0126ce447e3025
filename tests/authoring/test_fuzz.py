"""A build of damaged files always returns diagnostics; it never crashes and never builds an invalid bundle."""

from __future__ import annotations

import copy
import random
from typing import Any

import msgspec
import pytest
import ryaml

from tests.authoring.folders import built, discovery_run, folder, manifest, text
from tests.authoring.soak import times
from uiap.spec.authoring import UIAPCompiledBundle

JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    "",
    "x",
    "a.b",
    "../x",
    "/spec",
    [],
    [None],
    {},
    {"id": "x"},
    {"ref": "a"},
    "é😀",
    [[]],
]
SEEN = {"discoveredBy": [], "confidence": "high"}
RUN = discovery_run(
    "r",
    routes=[{"routeId": "found", "urls": ["http://x/f"], **SEEN}],
    elements=[{"semanticKey": "k", "role": "button", "names": ["N"], **SEEN}],
    actions=[{"id": "found.do", "kind": "candidate", **SEEN}],
    workflows=[
        {
            "id": "found.flow",
            "requiredInputs": [{"name": "p", "type": "string"}],
            "stepSkeleton": [{"type": "collect", "parameterNames": ["p"]}],
            **SEEN,
        }
    ],
)


def example() -> dict[str, str]:
    """Return the example package with all kinds: a DiscoveryImport and a Capabilities manifest are added."""
    files = folder("videoland-example")
    rules = [
        {"kind": kind, "targetManifestId": target, "mode": mode}
        for kind, target, mode in (
            ("route", "bindings.routes", "copy"),
            ("element", "bindings.elements", "promote"),
            ("action", "actions.core", "copy"),
            ("workflowCandidate", "workflows.onboarding", "copy"),
        )
    ]
    take = manifest("DiscoveryImport", "take", {"source": {"ref": "r.json"}, "accept": rules}, state="draft")
    document = {
        "modelVersion": "0.1",
        "profile": "web@0.1",
        "roles": [],
        "stateKeys": [],
        "affordances": [],
        "actions": [],
    }
    document |= {"riskLevels": ["safe"], "successSignalKinds": []}
    root = ryaml.loads(files["package.uiap.yaml"])
    for id, kind in (("take", "DiscoveryImport"), ("caps", "Capabilities")):
        root["spec"]["manifests"].append({"id": id, "kind": kind, "path": f"{id}.uiap.yaml"})
    return files | {
        "package.uiap.yaml": text(root),
        "take.uiap.yaml": text(take),
        "caps.uiap.yaml": text(manifest("Capabilities", "caps", {"document": document})),
        "r.json": RUN,
    }


def mutate(chance: random.Random, value: Any) -> Any:
    """Return the value with one change: a member removed, doubled, renamed or replaced."""
    value = copy.deepcopy(value)
    holder, path = value, []
    while isinstance(holder, dict | list) and holder:
        key = chance.choice(list(holder)) if isinstance(holder, dict) else chance.randrange(len(holder))
        path.append((holder, key))
        holder = holder[key]
        if chance.random() < 0.2:
            break
    if not path:
        return chance.choice(JUNK)
    holder, key = path[-1]
    match chance.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        case 1:
            holder[f"{key}x"] = holder.pop(key)
        case _:
            holder[key] = chance.choice(JUNK)
    return value


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("seed", range(4))
def test_a_build_of_damaged_documents_returns_diagnostics(seed: int) -> None:
    chance = random.Random(seed)
    base = {"uiap.shared.base": {"0.1.3": folder("shared-base")}}
    files = example()
    documents = {
        name: ryaml.loads(body) if name.endswith(".yaml") else msgspec.json.decode(body)
        for name, body in files.items()
    }
    assert not built(files, imports=base, channel="staging").errors
    for _ in range(times(25)):
        damaged = dict(files)
        for name in chance.sample(sorted(files), chance.choice([1, 1, 2])):
            damaged[name] = text(mutate(chance, documents[name]))
        result = built(
            damaged,
            imports=base,
            channel=chance.choice(["staging", "prod"]),
            locale=chance.choice(["de", "xx"]),
        )
        if result.preview:
            msgspec.json.decode(result.preview, type=UIAPCompiledBundle)
        assert bool(result.data) == (not result.errors and not result.refusals)


@pytest.mark.requirement("AUTH-SEC.1")
@pytest.mark.parametrize("seed", range(4))
def test_a_build_of_damaged_texts_returns_diagnostics(seed: int) -> None:
    chance = random.Random(seed)
    files = folder("videoland-example")
    for _ in range(times(40)):
        name = chance.choice(sorted(files))
        body = files[name]
        at, end = sorted((chance.randrange(len(body)), chance.randrange(len(body))))
        noise = chance.choice(
            [
                "",
                "\t",
                "&a ",
                "*a",
                "!!x ",
                "{",
                "[",
                '"',
                "'",
                "\x00",
                "\n- ",
                ": ",
                "---\n",
                "\ufeff",
                "|\n",
            ]
        )
        damaged = body[:at] + noise + body[chance.choice([at, end]) :]
        result = built({**files, name: damaged})
        assert result.diagnostics or result.data
