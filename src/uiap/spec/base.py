"""The base class of the spec types, and the primitive types of Core.

Knows no message and no document. Every other module of the package imports it.
"""

from collections.abc import Sequence
from typing import Annotated, Any, TypeAlias, dataclass_transform

import msgspec
from msgspec import Meta, StructMeta, field

# `$` also matches before a trailing line feed; this ending works in Python and in ECMAScript.
END = r"(?![\s\S])"
VENDOR = r"x\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*"


class SpecMeta(StructMeta):
    """Makes all subclasses keyword only, because msgspec does not inherit `kw_only`."""

    def __new__(mcls, name: str, bases: tuple[type, ...], namespace: dict[str, Any], **config: Any) -> Any:
        settings: dict[str, Any] = {"frozen": True, "kw_only": True, "rename": "camel"} | config
        return super().__new__(mcls, name, bases, namespace, **settings)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Struct(msgspec.Struct, frozen=True, kw_only=True, metaclass=SpecMeta):
    """A spec type: immutable, keyword only, camelCase on the wire, unknown members ignored."""


class KindTagged(Struct, tag_field="kind"):
    """A member of a union that is tagged by `kind` on the wire."""

    @property
    def kind(self) -> str:
        return str(self.__struct_config__.tag)


class ByTagged(Struct, tag_field="by"):
    """A member of a union that is tagged by `by` on the wire."""

    @property
    def by(self) -> str:
        return str(self.__struct_config__.tag)


class TypeTagged(Struct, tag_field="type"):
    """A member of a union that is tagged by `type` on the wire."""

    @property
    def type(self) -> str:
        return str(self.__struct_config__.tag)


def core_or_vendor(words: Sequence[str]) -> str:
    """Return the pattern of a vocabulary that vendors may extend."""
    # CAP-2.1: core words have no prefix, vendor words begin with `x.`
    return f"^({'|'.join(words)}|{VENDOR}){END}"


JsonObject: TypeAlias = dict[str, Any]
Strings: TypeAlias = tuple[str, ...]

Identifier: TypeAlias = Annotated[str, Meta(min_length=1, max_length=128)]
MessageId: TypeAlias = Identifier
SessionId: TypeAlias = Identifier
ExtensionId: TypeAlias = Annotated[str, Meta(min_length=1)]
Version: TypeAlias = Annotated[str, Meta(pattern=rf"^[0-9]{{1,9}}\.[0-9]{{1,9}}{END}")]
MessageType: TypeAlias = Annotated[
    str, Meta(pattern=rf"^(error|[a-z][A-Za-z0-9_-]*(\.[a-z][A-Za-z0-9_-]*)+){END}")
]
Timestamp: TypeAlias = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
        rf"T([01][0-9]|2[0-3]):[0-5][0-9]:([0-5][0-9]|60)(\.[0-9]+)?Z{END}"
    ),
]

# The documents write `number`: an integer stays an integer, and a fraction is accepted.
Number: TypeAlias = int | float
Count: TypeAlias = Annotated[int, Meta(ge=0)]
Milliseconds: TypeAlias = Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]

# msgspec has no literal for booleans; structs that use this refuse `true` in `__post_init__`.
FalseOnly: TypeAlias = Annotated[bool, Meta(extra_json_schema={"const": False})]
