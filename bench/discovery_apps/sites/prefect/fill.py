"""Two flows with deployments, runs, task runs, logs, an artifact, a variable and limits, through the server."""

import json
import sys
import urllib.request


def post(path, data):
    body = json.dumps(data).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"{sys.argv[1]}/api{path}", data=body, headers=headers)
    with urllib.request.urlopen(request, timeout=60) as answer:
        return json.loads(answer.read() or b"null")


def state(kind):
    return {"type": kind, "name": kind.capitalize()}


post("/work_pools/", {"name": "workshop", "type": "process"})
for name in ("clean-data", "send-report"):
    flow = post("/flows/", {"name": name, "tags": ["nightly"]})
    deployment = post(
        "/deployments/",
        {
            "name": "nightly",
            "flow_id": flow["id"],
            "work_pool_name": "workshop",
            "entrypoint": "flow.py:main",
        },
    )
    for n in range(1, 4):
        run = post(
            "/flow_runs/",
            {
                "name": f"{name}-{n}",
                "flow_id": flow["id"],
                "deployment_id": deployment["id"],
                "state": state("COMPLETED" if n > 1 else "FAILED"),
            },
        )
        for task in ("load", "store"):
            post(
                "/task_runs/",
                {
                    "name": f"{task}-{n}",
                    "flow_run_id": run["id"],
                    "task_key": task,
                    "dynamic_key": str(n),
                    "state": state("COMPLETED"),
                },
            )
        post(
            "/artifacts/",
            {"key": "summary", "type": "markdown", "data": f"# Run {n}", "flow_run_id": run["id"]},
        )
for n in range(1, 4):
    post("/variables/", {"name": f"variable_{n}", "value": n})
post("/v2/concurrency_limits/", {"name": "database", "limit": 3})
post("/concurrency_limits/", {"tag": "slow", "concurrency_limit": 2})
