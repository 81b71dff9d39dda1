"""The configuration, checked against its schema, with a message a person can act on."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

SCHEMA = Path(__file__).with_name("schema.yaml")


class ConfigError(ValueError):
    """A configuration that cannot be run; the message names every wrong key."""


def checked(config: dict[str, Any]) -> dict[str, Any]:
    """A copy of the configuration with the defaults of the schema filled in.

    Raises
    ------
    ConfigError
        If a key is unknown, missing or of the wrong kind; all such keys are named.
    """
    schema = yaml.safe_load(SCHEMA.read_text())
    config = copy.deepcopy(config)
    wrong = sorted(Draft202012Validator(schema).iter_errors(config), key=lambda error: list(map(str, error.path)))
    if wrong:
        lines = "\n".join(f"  {'.'.join(map(str, error.path)) or '(top level)'}: {error.message}" for error in wrong)
        raise ConfigError(f"The configuration is not valid (keys and meanings: {SCHEMA.name}):\n{lines}")
    _fill(config, schema, schema)
    return config


def _fill(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> None:
    """Fill the defaults of a schema into a mapping and the mappings inside it."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rsplit("/", 1)[1]]
    if not isinstance(value, dict):
        return
    for key, subschema in schema.get("properties", {}).items():
        if "default" in subschema:
            value.setdefault(key, copy.deepcopy(subschema["default"]))
    for key, subschema in _subschemas(value, schema):
        _fill(value[key], subschema, root)


def _subschemas(value: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    for key in value:
        if key in known:
            yield key, known[key]
        elif isinstance(other, dict):
            yield key, other
