"""The cases of `make soak`, a module for each family; a new case goes into the CASES of its family."""

from tools.cases import attacks, authoring, discovery, doors, faults, hall, pages
from tools.cases.case import Case

CASES: dict[str, Case] = {
    **pages.CASES,
    **faults.CASES,
    **hall.CASES,
    **authoring.CASES,
    **doors.CASES,
    **attacks.CASES,
    **discovery.CASES,
}
