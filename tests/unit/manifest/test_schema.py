from __future__ import annotations

from pathlib import Path

import jsonschema
import pytest

import tidegate.manifest
from tidegate.manifest.build import dump_manifest
from tidegate.manifest.schema import SCHEMA_FILE, read_published_schema, render_schema

PUBLISHED = Path(tidegate.manifest.__file__).parent / "data" / "schema" / SCHEMA_FILE


def test_the_published_schema_says_what_the_model_says():
    assert PUBLISHED.read_text(encoding="utf-8") == render_schema()


def test_what_tidegate_writes_satisfies_the_published_schema(manifest_of, pool, commitment):
    document = dump_manifest(manifest_of(pools=[pool()], commitments=[commitment()]))

    jsonschema.Draft202012Validator(read_published_schema()).validate(document)


def test_the_published_schema_refuses_money_as_a_json_number(manifest_of):
    document = dump_manifest(manifest_of())
    document["hourlyCeiling"]["amount"] = 500.0

    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(read_published_schema()).validate(document)
