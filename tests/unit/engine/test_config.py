"""Projects and stack configurations are read as files; bad ones are refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from tidegate.engine.config import copy_project_settings, read_project, read_stack_config
from tidegate.vocabulary.problems import InvalidInput

SALT = "v1:Sa6Yzz7RqV0=:v1:nGWpHzTt4GPOy0xf:KSEm=="


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "stacks").mkdir()
    (tmp_path / "Pulumi.yaml").write_text("name: p\nruntime: python\nstackConfigDir: stacks\n")
    (tmp_path / "stacks" / "Pulumi.prod.yaml").write_text("# kept\nconfig:\n  p:pools: {a: 1}\n")
    return tmp_path


def test_reads_the_configuration_where_the_project_keeps_it(directory: Path) -> None:
    project = read_project(directory)
    assert (project.name, project.stacks()) == ("p", ("prod",))
    assert read_stack_config(project, "prod") == {"p:pools": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [("config: [", "cannot be read"), ("- a", "is no mapping"), ("config: 3", "is no mapping")],
)
def test_refuses_a_file_that_is_no_configuration(directory: Path, text: str, reason: str) -> None:
    (directory / "stacks" / "Pulumi.prod.yaml").write_text(text)
    with pytest.raises(InvalidInput, match=reason):
        read_stack_config(read_project(directory), "prod")


def test_refuses_a_folder_without_a_project(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"Pulumi\.yaml: there is no such file"):
        read_project(tmp_path)


def test_names_the_nearest_stack(directory: Path) -> None:
    with pytest.raises(InvalidInput, match="expected 'prod'"):
        read_stack_config(read_project(directory), "prd")


def test_carries_the_salt_of_an_earlier_run_over_to_a_newer_copy(
    directory: Path, tmp_path: Path
) -> None:
    project = read_project(directory)
    folder = tmp_path / "private"
    copied = copy_project_settings(project, "prod", folder)
    private = read_project(folder)
    assert (private.name, private.config_file("prod")) == ("p", copied)
    assert read_stack_config(private, "prod") == {"p:pools": {"a": 1}}
    assert "encryptionsalt" not in copied.read_text()

    copied.write_text(copied.read_text() + f"encryptionsalt: {SALT}\n")
    project.config_file("prod").write_text("config:\n  p:pools: {a: 2}\nencryptionsalt: own\n")
    copied = copy_project_settings(project, "prod", folder)
    assert yaml.safe_load(copied.read_text()) == {
        "config": {"p:pools": {"a": 2}},
        "encryptionsalt": SALT,
    }


def test_leaves_the_salt_of_another_backend_behind(directory: Path, tmp_path: Path) -> None:
    project = read_project(directory)
    project.config_file("prod").write_text("encryptionsalt: own\n")
    copied = copy_project_settings(project, "prod", tmp_path / "private")
    assert yaml.safe_load(copied.read_text()) == {}


def test_refuses_values_that_only_another_passphrase_opens(directory: Path, tmp_path: Path) -> None:
    project = read_project(directory)
    project.config_file("prod").write_text("config:\n  p:token: {secure: v1:abc}\n")
    with pytest.raises(InvalidInput, match=r"config\.p:token: is encrypted"):
        copy_project_settings(project, "prod", tmp_path / "private")
