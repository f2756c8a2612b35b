"""The OpenAPI description of the JSON API, made from the declarations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from peakwise.core.declaration import Declaration, Field
from peakwise.core.errors import Json
from peakwise.core.version import VERSION
from peakwise.web.parse_number import KINDS
from peakwise.web.rows import MOST_ROWS

_ERROR: Json = {"$ref": "#/components/schemas/Error"}
_NOTHING: Json = {"$ref": "#/components/schemas/Nothing"}
_REFUSALS: dict[str, str] = {
    "400": "The request cannot be read.",
    "405": "The address does not take this method.",
    "413": "The body is too large.",
    "414": "The address is too long.",
    "415": "The body is of a type that is not read.",
    "422": "A field cannot be used; `errors` names each. Or the table cannot be, or has too many rows.",
    "503": "The answer took too long.",
}


def describe_api(declarations: Sequence[Declaration]) -> Json:
    """The OpenAPI 3.1 document."""
    paths: Json = {f"/api/v1/{item.id}": _path(item) for item in declarations}
    paths["/api/v1/parse-number"] = _number_path()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Peakwise",
            "version": VERSION,
            "description": "The calculators as JSON. Numbers are unrounded and in base units; `display` rounds.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": dict(_schemas(declarations))},
    }


def _path(declaration: Declaration) -> Json:
    name = _name(declaration)
    answer: Json = {"$ref": "#/components/schemas/Calculation"}
    many: Json = {"type": "array", "items": {"anyOf": [answer, _ERROR]}}
    one_or_many: Json = {"anyOf": [{"$ref": f"#/components/schemas/{name}"}, _rows(name)]}
    return {
        "get": {
            "operationId": f"get_{declaration.id.replace('-', '_')}",
            "summary": declaration.summary,
            "parameters": [*(_parameter(field) for field in declaration.fields), _locale_parameter()],
            "responses": {"200": _ok(answer, csv=True), **_refusals()},
        },
        "post": {
            "operationId": f"post_{declaration.id.replace('-', '_')}",
            "summary": declaration.summary,
            "requestBody": {
                "required": True,
                "content": {
                    "application/json": {"schema": one_or_many},
                    "text/csv": {"schema": {"type": "string"}},
                },
            },
            "responses": {"200": _ok({"anyOf": [answer, many]}, csv=True), **_refusals()},
        },
    }


def _rows(name: str) -> Json:
    text = f"Each row is a question of its own, {name}; one that cannot be used is answered by its own error."
    return {"type": "array", "maxItems": MOST_ROWS, "items": {"type": "object", "description": text}}


def _name(declaration: Declaration) -> str:
    return "".join(word.capitalize() for word in declaration.id.split("-"))


def _parameter(field: Field) -> Json:
    """One input in a query, where every value is a text with a dot for the decimal sign."""
    schema: Json = {"type": "string", "enum": list(field.words)} if field.words else {"type": "string"}
    if field.kind in ("number", "integer"):
        schema = _schema(field)
    elif field.kind == "boolean":
        schema = {"type": "boolean"}
    return {"name": field.key, "in": "query", "required": False, "description": _describe(field), "schema": schema}


def _locale_parameter() -> Json:
    text = "A region, such as es-MX: the inputs are then read as that region writes numbers."
    return {"name": "locale", "in": "query", "required": False, "description": text, "schema": {"type": "string"}}


def _describe(field: Field) -> str:
    return "; ".join(part for part in (field.unit, field.note) if part)


def _schema(field: Field) -> Json:
    """What a JSON value of one input may be."""
    match field.kind:
        case "number" | "integer":
            schema: Json = {"type": field.kind}
            if field.low is not None:
                schema["exclusiveMinimum" if field.above_zero and not field.low else "minimum"] = field.low
            if field.high is not None:
                schema["maximum"] = field.high
        case "choice":
            schema = {"type": "string", "enum": list(field.words)}
        case "boolean":
            schema = {"type": "boolean"}
        case "list":
            item: Json = {"type": "integer", "minimum": field.low, "maximum": field.high}
            schema = {"type": "array", "items": item, "minItems": 1}
            if field.most is not None:
                schema["maxItems"] = field.most
        case "datetime":
            schema = {"type": "string", "format": "date-time"}
        case "id" | "text":
            schema = {"type": "string"}
    if isinstance(field.default, bool | int | float | str):
        schema["default"] = field.default
    if text := _describe(field):
        schema["description"] = text
    return schema


def _schemas(declarations: Sequence[Declaration]) -> Iterator[tuple[str, Json]]:
    for declaration in declarations:
        yield _name(declaration), _inputs(declaration)
    yield "Nothing", _NOTHING_SCHEMA
    yield "Calculation", _CALCULATION
    yield "Error", _ERROR_SCHEMA


def _inputs(declaration: Declaration) -> Json:
    """The inputs of one calculator, with what must be given and what goes not together."""
    required = [field.key for field in declaration.fields if field.required]
    schema: Json = {
        "type": "object",
        "properties": {field.key: _or_nothing(field) for field in declaration.fields},
        "required": required,
        "additionalProperties": False,
    }
    groups = [_group(group.keys, exclusive=group.exclusive) for group in declaration.groups]
    return {**schema, "allOf": groups} if groups else schema


def _or_nothing(field: Field) -> Json:
    """What one input may be: a field that need not be given may be null or empty too, which says the same."""
    schema = _schema(field)
    if field.required:
        return schema
    about = {key: schema.pop(key) for key in ("description", "default") if key in schema}
    return {"anyOf": [schema, _NOTHING], **about}


def _group(keys: tuple[str, ...], *, exclusive: bool) -> Json:
    """One of these fields is given, and not merely named."""
    ways = [{"required": [key], "properties": {key: {"not": _NOTHING}}} for key in keys]
    return {"oneOf" if exclusive else "anyOf": ways}


def _number_path() -> Json:
    properties: Json = {
        "text": {"type": "string", "description": "The number as it was typed."},
        "locale": {"type": "string", "default": "en", "description": "A language or region, such as es-MX."},
        "kind": {"type": "string", "enum": list(KINDS), "default": "number"},
        "calculator": {"type": "string", "description": "With `field`: by a calculator's own field."},
        "field": {"type": "string"},
    }
    schema: Json = {"type": "object", "properties": properties, "required": ["text"], "additionalProperties": False}
    answer: Json = {
        "type": "object",
        "properties": {
            "schema": {"const": "peakwise.number/1"},
            "text": {"type": "string"},
            "locale": {"type": "string"},
            "value": {"type": "number"},
            "notes": {"type": "array", "items": {"type": "string"}},
            "alt": {"type": ["number", "null"]},
            "echo": {"type": "boolean"},
        },
        "required": ["schema", "text", "locale", "value", "notes", "alt", "echo"],
    }
    return {
        "get": {
            "operationId": "get_parse_number",
            "summary": "what a typed number reads as",
            "parameters": [
                {"name": key, "in": "query", "required": key == "text", "schema": value}
                for key, value in properties.items()
            ],
            "responses": {"200": _ok(answer), **_refusals()},
        },
        "post": {
            "operationId": "post_parse_number",
            "summary": "what a typed number reads as",
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "responses": {"200": _ok(answer), **_refusals()},
        },
    }


def _ok(schema: Json, *, csv: bool = False) -> Json:
    content: Json = {"application/json": {"schema": schema}}
    if csv:
        content["text/csv"] = {"schema": {"type": "string"}}
    return {"description": "The answer.", "content": content}


def _refusals() -> Json:
    return {
        status: {"description": text, "content": {"application/json": {"schema": _ERROR}}}
        for status, text in _REFUSALS.items()
    }


_TEXT: Json = {"type": "string"}
_NOTHING_SCHEMA: Json = {
    "description": "The same as an input that is left out.",
    "anyOf": [{"type": "null"}, {"type": "string", "pattern": r"^\s*$"}, {"type": "array", "maxItems": 0}],
}
_OBJECT: Json = {"type": "object"}
_CALCULATION: Json = {
    "type": "object",
    "properties": {
        "schema": {"const": "peakwise.calc/1"},
        "version": _TEXT,
        "name": _TEXT,
        "inputs": _OBJECT,
        "results": _OBJECT,
        "display": _OBJECT,
        "convention": _OBJECT,
        "warnings": {"type": "array", "items": _OBJECT},
        "missing": {"type": "array", "items": _OBJECT},
        "link": _TEXT,
    },
    "required": ["schema", "version", "name", "inputs", "results", "display", "convention", "warnings", "missing"],
}
_ERROR_SCHEMA: Json = {
    "type": "object",
    "properties": {
        "schema": {"const": "peakwise.error/1"},
        "error": _OBJECT,
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"field": _TEXT, "code": _TEXT, "message": _TEXT},
                "required": ["field", "code", "message"],
            },
        },
    },
    "required": ["schema", "error", "errors"],
}
