"""ui.upload: give files to a file input, or to the file chooser that a button or label opens (CAP-7).

The session's options name the folders for uploads. Files outside them are never read.
"""

from __future__ import annotations

from typing import Any

from uiap.actions.ops import AnyOp, Guard, SetFiles
from uiap.actions.primitive import Args, GestureReport, Primitive, Proof, ValueProof, always
from uiap.spec.capability import ActionArgDescriptor, ExecutionMode
from uiap.spec.web import ElementNode


def paths(args: Args) -> tuple[str, ...]:
    """Return the paths of the files. Each file is `{name?, ref}` or a path."""
    return tuple(_path(file) for file in args["files"])


def _path(file: Any) -> str:
    return str(file.get("ref", "")) if isinstance(file, dict) else str(file)


def _plan(mode: ExecutionMode, guard: Guard, _element: ElementNode, args: Args) -> tuple[AnyOp, ...]:
    return (SetFiles(guard=guard, mode=mode, paths=paths(args)),)


def _proof(element: ElementNode | None, args: Args) -> Proof:
    """Return the proof: the input has exactly these files, or the driver read them back from the chooser's input."""
    assert element is not None
    if element.role != "fileinput":
        return "reported"
    names = ", ".join(path.rpartition("/")[2] for path in paths(args))

    def holds(now: ElementNode, _report: GestureReport) -> bool:
        return now.state.text_value == names

    return ValueProof(description=f"its files are {names}", test=holds)


ACTION = Primitive(
    id="ui.upload",
    title="Give files to a file input or a chooser",
    args=(
        ActionArgDescriptor(
            name="files",
            type="array",
            required=True,
            description="`{name, ref}` each: ref is a path in a folder declared for uploads.",
        ),
    ),
    affordances=("upload", "activate"),
    checks="present",
    modes=("externalDriver",),
    idempotency=always("conditional"),
    effect=always("external_effect"),
    plan=_plan,
    proof=_proof,
)
