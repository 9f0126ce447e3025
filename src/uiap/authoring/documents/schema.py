"""JSON Schemas of the eleven kinds, made from the spec types, and validation of documents.

The schemas are stricter than the types: an unknown member is an error, because a misspelled one would be ignored.
Vendor members begin with `x.`. Validation reports all faults, not only the first.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, get_args

import jsonschema_rs
import msgspec

from uiap.authoring.pointer import render
from uiap.spec.authoring import AUTHORING_KINDS, UIAPAuthoringDocument
from uiap.spec.base import Struct

DIALECT = "https://json-schema.org/draft/2020-12/schema"
MAX_FAULTS = 100  # per document
DOCUMENTS: Mapping[str, type[Struct]] = {
    str(document.__struct_config__.tag): document for document in get_args(UIAPAuthoringDocument)
}
# Checks that a struct makes after decoding, which msgspec does not put into the schema.
_EXTRA = {"AuthoredMessage": {"oneOf": [{"required": ["default"]}, {"required": ["ref"]}]}}


class SchemaFault(Struct):
    """One violation of the schema."""

    code: str
    pointer: str
    message: str
    hint: str = ""


def editor_schema() -> dict[str, Any]:
    """Return one schema for all kinds, with which editors complete and check YAML."""
    defs: dict[str, Any] = {}
    for kind in AUTHORING_KINDS:
        defs |= _schema(kind)["$defs"]
    choices = [
        {"if": {"properties": {"kind": {"const": k}}}, "then": {"$ref": f"#/$defs/{DOCUMENTS[k].__name__}"}}
        for k in AUTHORING_KINDS
    ]
    return {
        "$schema": DIALECT,
        "title": "UIAP authoring manifest",
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": list(AUTHORING_KINDS)}},
        "allOf": choices,
        "$defs": defs,
    }


def schema_faults(kind: str, document: Any) -> list[SchemaFault]:
    """Return all faults of a document of this kind, up to MAX_FAULTS."""
    try:
        # refuses keys that are not text, also in members that accept any value
        msgspec.json.encode(document, order="sorted")
    except TypeError:
        return [_key_fault(document)]
    if _validator(kind).is_valid(document):
        return []
    errors = list(_validator(kind).iter_errors(document))
    found = [fault for error in errors[: MAX_FAULTS * 2] for fault in _faults(error)]
    return list(dict.fromkeys(found))[:MAX_FAULTS]


def kind_faults(document: Any) -> list[SchemaFault]:
    """Return a fault if this is not a document of a known kind."""
    if not isinstance(document, dict):
        return [
            SchemaFault(
                code="not_a_manifest", pointer="", message="the file does not contain a manifest object"
            )
        ]
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in DOCUMENTS:
        near = _suggestion(str(kind), AUTHORING_KINDS)
        return [
            SchemaFault(
                code="unknown_kind",
                pointer="/kind",
                message=f"`{kind}` is not one of the eleven kinds",
                hint=near or f"write one of {', '.join(AUTHORING_KINDS)}",
            )
        ]
    return []


@cache
def _validator(kind: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(_schema(kind))


@cache
def _schema(kind: str) -> dict[str, Any]:
    (root,), defs = msgspec.json.schema_components([DOCUMENTS[kind]], ref_template="#/$defs/{name}")
    for name, body in defs.items():
        body.pop("description", None)
        body.update(_EXTRA.get(name, {}))
    return {"$schema": DIALECT, **root, "$defs": {name: _strict(body) for name, body in defs.items()}}


def _strict(schema: Any) -> Any:
    """Close every object, and turn tagged unions into choices by tag, so that errors refer to one choice."""
    if isinstance(schema, list):
        return [_strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "discriminator" in schema:
        return _choice(schema)
    if "anyOf" in schema:
        return _object_or_else(schema)
    closed = {key: _strict(value) for key, value in schema.items()}
    if isinstance(schema.get("properties"), dict) and "additionalProperties" not in schema:
        closed |= {"additionalProperties": False, "patternProperties": {r"^x\.": {}}}
    return closed


def _object_or_else(schema: dict[str, Any]) -> dict[str, Any]:
    """For `text | object`, check an object against the object schema, so that the error names its member."""
    objects = [option for option in schema["anyOf"] if "$ref" in option]
    rest = [_strict(option) for option in schema["anyOf"] if "$ref" not in option]
    if len(objects) != 1 or not rest:
        return {**schema, "anyOf": [_strict(option) for option in schema["anyOf"]]}
    return {
        "if": {"type": "object"},
        "then": objects[0],
        "else": rest[0] if len(rest) == 1 else {"anyOf": rest},
    }


def _choice(schema: dict[str, Any]) -> dict[str, Any]:
    tag = schema["discriminator"]["propertyName"]
    mapping = schema["discriminator"]["mapping"]
    rest = [option for option in schema["anyOf"] if option.get("$ref") not in mapping.values()]
    choice = {
        "type": "object",
        "required": [tag],
        "properties": {tag: {"enum": sorted(mapping)}},
        "allOf": [
            {"if": {"required": [tag], "properties": {tag: {"const": word}}}, "then": {"$ref": reference}}
            for word, reference in sorted(mapping.items())
        ],
    }
    return {"anyOf": [*_strict(rest), choice]} if rest else choice


def _faults(error: jsonschema_rs.ValidationError) -> Iterator[SchemaFault]:
    pointer = render([str(step) for step in error.instance_path])
    kind = error.kind
    if isinstance(kind, jsonschema_rs.ValidationErrorKind.AdditionalProperties):
        known = _known_members(error)
        for name in kind.unexpected:
            yield SchemaFault(
                code="unknown_member",
                pointer=f"{pointer}{render([name])}",
                message=f"the member `{name}` is unknown",
                hint=_suggestion(name, known)
                or (f"known members: {', '.join(sorted(known))}" if known else ""),
            )
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Required):
        name = str(kind.property).strip('"')
        yield SchemaFault(code="missing_member", pointer=pointer, message=f"the member `{name}` is missing")
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Enum):
        options = [str(option) for option in kind.options]
        hint = _suggestion(str(error.instance), options) or f"write one of {', '.join(options[:12])}"
        yield SchemaFault(
            code="unknown_word",
            pointer=pointer,
            message=f"`{_short(error.instance)}` is not an allowed value",
            hint=hint,
        )
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Type):
        yield _type_fault(pointer, error.instance, kind.types)
    elif isinstance(kind, jsonschema_rs.ValidationErrorKind.Pattern):
        yield _pattern_fault(pointer, error.instance, kind.pattern)
    else:
        yield SchemaFault(
            code="wrong_value",
            pointer=pointer,
            message=_shorten(error.message),
            hint=_number_hint(error.instance),
        )


def _known_members(error: jsonschema_rs.ValidationError) -> list[str]:
    """Return the members of the object type that the error is about; the schema path names the type."""
    names = [str(step) for step in error.schema_path]
    for kind in AUTHORING_KINDS:
        defs = _schema(kind)["$defs"]
        for name in reversed(names):
            if name in defs:
                return list(defs[name].get("properties", ()))
    return []


def _type_fault(pointer: str, instance: Any, types: Any) -> SchemaFault:
    wanted = " or ".join(types) if isinstance(types, list) else str(types)
    return SchemaFault(
        code="wrong_type",
        pointer=pointer,
        message=f"`{_short(instance)}` should be {'an' if wanted[0] in 'aeio' else 'a'} {wanted}",
        hint=_number_hint(instance) if "string" in wanted else "",
    )


def _pattern_fault(pointer: str, instance: Any, pattern: str) -> SchemaFault:
    """Return a fault for a vocabulary that vendors may extend; its pattern has the form `^(word|word|x...)`."""
    words = [word for word in pattern.removeprefix("^(").split("|") if word.replace("_", "").isalnum()]
    hint = _suggestion(str(instance), words) or (
        f"write one of {', '.join(words)}, or a word under `x.`" if words else ""
    )
    return SchemaFault(
        code="unknown_word",
        pointer=pointer,
        message=f"`{_short(instance)}` is not an allowed value",
        hint=hint,
    )


def _number_hint(instance: Any) -> str:
    if isinstance(instance, int | float):
        return "put it in quotes: YAML reads it as a number or a boolean"
    return ""


def _shorten(message: str) -> str:
    return message if len(message) <= 160 else message[:157] + "..."


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= 60 else text[:57] + "..."


def _suggestion(word: str, known: Any) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f"did you mean `{close[0]}`?" if close else ""


def _key_fault(document: Any) -> SchemaFault:
    waiting: list[tuple[Any, tuple[str, ...]]] = [(document, ())]
    while waiting:
        value, path = waiting.pop()
        if isinstance(value, dict):
            for key, item in value.items():
                if not isinstance(key, str):
                    return SchemaFault(
                        code="key_not_text",
                        pointer=render(path),
                        message=f"the key `{key}` is not text",
                        hint="put the key in quotes",
                    )
                waiting.append((item, (*path, key)))
        elif isinstance(value, list):
            waiting.extend((item, (*path, str(i))) for i, item in enumerate(value))
    return SchemaFault(code="wrong_value", pointer="", message="the document is not plain JSON")
