"""The published JSON Schema of the manifest, generated from the model."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

from tidegate.manifest.model import MANIFEST_VERSION, Manifest

SCHEMA_FILE = "capacity-v1.json"


def build_schema() -> dict[str, Any]:
    """Return the JSON Schema of the newest version, as the model says it."""
    # The serialised form is what is published: amounts are decimal strings there.
    schema = Manifest.model_json_schema(by_alias=True, mode="serialization")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:{MANIFEST_VERSION.replace('/', ':')}",
        "title": "Tidegate capacity manifest",
    }
    required = ["version", "project", "stack", "catalogDigest"]
    return {**schema, **head, "required": required}


def render_schema() -> str:
    """Return the schema as the text of the checked-in file."""
    return json.dumps(build_schema(), indent=2, sort_keys=True) + "\n"


def read_published_schema() -> dict[str, Any]:
    """Return the schema as checked in, for validators outside this program."""
    file = resources.files("tidegate.manifest") / "data" / "schema" / SCHEMA_FILE
    schema: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return schema
