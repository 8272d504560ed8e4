"""Reading a project and its stack configuration as files, without the CLI."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tidegate.vocabulary.problems import nearest, refuse


@dataclass(frozen=True, slots=True)
class Project:
    """A Pulumi project.

    Attributes:
        directory: Where `Pulumi.yaml` lies.
        name: The project's name.
        config_directory: Where `Pulumi.<stack>.yaml` lie.
        settings: All of `Pulumi.yaml`.
    """

    directory: Path
    name: str
    config_directory: Path
    settings: Mapping[str, Any] = field(default_factory=dict)

    def config_file(self, stack: str) -> Path:
        """The configuration file of one stack; it need not exist."""
        return self.config_directory / f"Pulumi.{stack}.yaml"

    def stacks(self) -> tuple[str, ...]:
        """The stacks that have a configuration file."""
        names = (path.name for path in self.config_directory.glob("Pulumi.*.yaml"))
        return tuple(sorted(name[len("Pulumi.") : -len(".yaml")] for name in names))


def read_project(directory: Path) -> Project:
    """Read `Pulumi.yaml`.

    Raises:
        InvalidInput: There is none, or it is no project.
    """
    path = directory / "Pulumi.yaml"
    document = _read_yaml(path, "a Pulumi project: run this where Pulumi.yaml lies")
    name = document.get("name")
    if not isinstance(name, str) or not name:
        raise refuse(str(path), "name", name, "a project needs a name", "a short word")
    folder = directory / str(document.get("stackConfigDir") or ".")
    return Project(directory, name, folder, document)


def read_stack_config(project: Project, stack: str) -> dict[str, Any]:
    """Read the `config` of a stack; values that are encrypted stay `{"secure": …}`.

    Raises:
        InvalidInput: There is no such stack, or its file is no configuration.
    """
    path = require_stack_config(project, stack)
    config = _read_yaml(path, "a stack configuration").get("config") or {}
    if not isinstance(config, dict):
        raise refuse(str(path), "config", config, "is no mapping", "keys `namespace:name`")
    return config


def require_stack_config(project: Project, stack: str) -> Path:
    """Find a stack's configuration file.

    Raises:
        InvalidInput: There is none; names the stacks there are, the nearest first.
    """
    path = project.config_file(stack)
    if not path.is_file():
        known = project.stacks()
        close = nearest(stack, known)
        expected = f"{close!r}" if close else "one of " + (", ".join(known) or "none yet")
        raise refuse("stack", "name", stack, f"there is no {path.name}", expected)
    return path


def copy_project_settings(project: Project, stack: str, folder: Path) -> Path:
    """Make a folder in which the CLI may write what it writes beside a project; return its config.

    Creating a stack makes the CLI add a salt to `Pulumi.<stack>.yaml`, a file under version
    control. The folder holds a project of the same name and a copy of that file; a salt from an
    earlier run is carried over, because the stack's secrets depend on it. A salt in the file
    itself belongs to the passphrase of another backend and stays behind.

    Raises:
        InvalidInput: The file is missing, or holds values that only its own passphrase opens.
    """
    source = require_stack_config(project, stack)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "Pulumi.yaml").write_text(
        yaml.safe_dump({"name": project.name, "runtime": "python"}), encoding="utf-8"
    )
    target = folder / source.name
    settings = _read_yaml(source, "a stack configuration")
    settings.pop("encryptionsalt", None)
    for key, value in (settings.get("config") or {}).items():
        if isinstance(value, dict) and "secure" in value:
            reason = "is encrypted, and the local clouds do not know its passphrase"
            raise refuse(str(source), f"config.{key}", None, reason, "a plain value for this run")
    if target.is_file() and (salt := _salt(target)):
        settings["encryptionsalt"] = salt
    staged = target.with_name(f".{target.name}.new")
    staged.write_text(yaml.safe_dump(settings, sort_keys=False), encoding="utf-8")
    staged.replace(target)
    return target


def _salt(path: Path) -> str | None:
    value = _read_yaml(path, "a stack configuration").get("encryptionsalt")
    return value if isinstance(value, str) else None


def _read_yaml(path: Path, expected: str) -> dict[str, Any]:
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise refuse(str(path), "", None, "there is no such file", expected) from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise refuse(str(path), "", None, f"cannot be read: {error}", expected) from error
    if document is None:
        return {}
    if not isinstance(document, dict):
        raise refuse(str(path), "", None, "is no mapping", expected)
    return document
