"""Which program does, and what is said when none can be had: tried with small scripts."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tidegate.engine.go_builds import build_flags, go_environment, remove_private_go_cache
from tidegate.engine.programs import OPA, PULUMI, explain_refusal, parse_version, pinned_version
from tidegate.engine.toolchain import (
    ToolMissing,
    find_toolchain,
    obtain_program,
    provide_language_host,
    write_shell_environment,
)
from tidegate.engine.toolchain_stamp import is_current, record

ROOT = Path(__file__).resolve().parents[3]


def program(folder: Path, name: str, says: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "checkout"


def path_of(*folders: Path) -> dict[str, str]:
    return {"PATH": ":".join([*map(str, folders), "/usr/bin", "/bin"])}


def test_prefers_a_good_version_on_path(root: Path, tmp_path: Path) -> None:
    there = program(tmp_path / "bin", "pulumi", "v3.280.0")
    program(root / ".tools/bin", "pulumi", "v3.274.1")
    program(root / ".tools/bin", "opa", "Version: 1.22.4")
    found = find_toolchain(root, path_of(tmp_path / "bin"))
    assert (found.pulumi.path, found.pulumi.version, found.pulumi.origin) == (
        there,
        "3.280.0",
        "PATH",
    )
    assert (found.opa.version, found.opa.origin) == ("1.22.4", "tools")


@pytest.mark.parametrize("says", ["v3.100.0", "v4.0.0", "no version", ""])
def test_passes_over_a_version_on_path_that_does_not_do(
    root: Path, tmp_path: Path, says: str
) -> None:
    program(tmp_path / "bin", "pulumi", says)
    kept = program(root / ".tools/bin", "pulumi", "v3.274.1")
    program(root / ".tools/bin", "opa", "Version: 1.22.4")
    assert find_toolchain(root, path_of(tmp_path / "bin")).pulumi.path == kept


def test_says_what_was_tried_and_what_can_be_done(root: Path, tmp_path: Path) -> None:
    program(tmp_path / "bin", "pulumi", "v3.100.0")
    with pytest.raises(ToolMissing) as caught:
        obtain_program(PULUMI, root, path_of(tmp_path / "bin"), lambda _: None)
    said = str(caught.value)
    assert "PATH: " in said
    assert "is 3.100.0; 3.272.0 or newer, below 4.0.0 is needed" in said
    assert ".tools/bin/pulumi: is not there" in said
    assert "pinned version: " in said
    assert "install Go" in said


def test_reads_the_pinned_versions_from_the_modules() -> None:
    for spec in (PULUMI, OPA):
        version = parse_version(pinned_version(spec, ROOT))
        assert explain_refusal(spec, Path(spec.name), version) is None


def test_builds_a_version_into_the_program_that_cannot_know_its_own() -> None:
    flags = build_flags(PULUMI, "3.274.1")
    assert any("version.Version=v3.274.1" in flag for flag in flags)
    # Go takes the last pattern that matches: the hot packages must come after `all`.
    assert flags.index("-gcflags=all=-dwarf=false -l") < flags.index("-gcflags=std=-dwarf=false")


def test_uses_the_users_go_caches_only_where_they_exist(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    tools = tmp_path / "tools"
    given = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    made = go_environment(tools, given)
    assert made["XDG_CONFIG_HOME"] == str(tools / "go" / "config")
    (home / ".config" / "go").mkdir(parents=True)
    assert "XDG_CONFIG_HOME" not in go_environment(tools, given)


def test_removes_its_own_go_caches_and_what_an_earlier_removal_left(tmp_path: Path) -> None:
    for folder in ("go/gomodcache/m@v1", "go.discarded/41/gocache"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "x.go").write_text("package m")
    remove_private_go_cache(tmp_path)
    assert not (tmp_path / "go").exists()
    while any(tmp_path.iterdir()):
        time.sleep(0.01)
    remove_private_go_cache(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_offers_its_language_host_only_where_there_is_no_official_one(
    root: Path, tmp_path: Path
) -> None:
    ours = provide_language_host(root, path_of())
    assert ours == root / ".tools/bin/pulumi-language-python"
    assert "tidegate.engine.language_host" in ours.read_text()
    assert provide_language_host(root, path_of(ours.parent)) == ours

    official = program(tmp_path / "bin", "pulumi-language-python", "official")
    assert provide_language_host(root, path_of(ours.parent, tmp_path / "bin")) == official
    assert not ours.exists()


def test_keeps_an_official_language_host_that_was_downloaded(root: Path) -> None:
    downloaded = program(root / ".tools/bin", "pulumi-language-python", "official")
    assert provide_language_host(root, path_of()) == downloaded
    assert "official" in downloaded.read_text()


def test_the_environment_of_a_run_is_isolated_from_the_users_pulumi(
    root: Path, tmp_path: Path
) -> None:
    program(root / ".tools/bin", "pulumi", "v3.274.1")
    program(root / ".tools/bin", "opa", "Version: 1.22.4")
    toolchain = find_toolchain(root, path_of())
    base = {"PATH": "/usr/bin", "PYTHONDONTWRITEBYTECODE": "1", "KEPT": "yes"}
    made = toolchain.environment(tmp_path / "home", "file:///state", base, "secret")
    assert made["PATH"].split(":")[-2:] == [str(root / ".tools/bin"), "/usr/bin"]
    assert made["PULUMI_HOME"] == str(tmp_path / "home")
    assert made["PULUMI_BACKEND_URL"] == "file:///state"
    assert made["PULUMI_CONFIG_PASSPHRASE"] == "secret"
    assert made["PULUMI_SKIP_UPDATE_CHECK"] == "1"
    assert made["PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION"] == "true"
    assert made["KEPT"] == "yes"
    assert "PYTHONDONTWRITEBYTECODE" not in made


def test_a_warm_setup_notices_a_program_that_changed(root: Path, tmp_path: Path) -> None:
    program(root / ".tools/bin", "pulumi", "v3.274.1")
    program(root / ".tools/bin", "opa", "Version: 1.22.4")
    environment = path_of(tmp_path / "bin")
    assert not is_current(root, environment)
    write_shell_environment(root, find_toolchain(root, environment))
    record(root, environment)
    assert is_current(root, environment)
    assert is_current(root, path_of(root / ".tools/bin", tmp_path / "bin"))
    program(tmp_path / "bin", "opa", "Version: 0.60.0")
    assert not is_current(root, environment)
