"""The cases of `make soak`, one module per family. A new case goes into the CASES of its family."""

from tools.cases import attacks, authoring, discovery, faults, frameworks, host, interfaces, pages, workflows
from tools.cases.case import Case

CASES: dict[str, Case] = {
    **pages.CASES,
    **faults.CASES,
    **host.CASES,
    **authoring.CASES,
    **interfaces.CASES,
    **attacks.CASES,
    **discovery.CASES,
    **workflows.CASES,
    **frameworks.CASES,
}
