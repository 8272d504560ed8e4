"""YAML as text: every scalar stays the string that was written, so no price passes a float."""

from __future__ import annotations

from typing import Any

import yaml

from tidegate.vocabulary.problems import refuse

_Loader: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _TextLoader(_Loader):  # type: ignore[misc] # the C loader is chosen when it is there
    """Reads scalars as text and refuses a key that is written twice."""


def _construct_mapping(loader: Any, node: Any, deep: bool = False) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        fault = "" if isinstance(key, str) and key.strip() else "a key is no plain word"
        if not fault and key in result:
            fault = f"the key {key!r} is written twice"
        if fault:
            raise yaml.constructor.ConstructorError(None, None, fault, key_node.start_mark)
        result[key] = loader.construct_object(value_node, deep=deep)
    return result


def _construct_yaml_map(loader: Any, node: Any) -> dict[Any, Any]:
    return _construct_mapping(loader, node, deep=True)


_TextLoader.add_constructor("tag:yaml.org,2002:map", _construct_yaml_map)


def parse_yaml_text(text: str, file_name: str) -> Any:
    """Return mappings, lists and strings.

    Raises:
        InvalidInput: When the text is no YAML, or a key is written twice.
    """
    try:
        return yaml.load(text, Loader=_TextLoader)  # noqa: S506 - a base loader: only text
    except yaml.YAMLError as error:
        detail = " ".join(str(error).split())
        raise refuse(file_name, "", None, f"cannot be read as YAML: {detail}") from error
