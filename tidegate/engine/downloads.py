"""The official downloads of `pulumi` and `opa`, each verified before it may run.

File names and checksums as the projects' own release builds make them (pulumi/pulumi,
.github/workflows/sign.yml; open-policy-agent/opa, Makefile; read on 2026-11-30), at the addresses
that public scripts fetch them from. Standard library only: `scripts/setup` runs this before
anything is installed.
"""

from __future__ import annotations

import hashlib
import platform
import shutil
import tarfile
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

from tidegate.engine.programs import OPA, PULUMI, ProgramSpec

CONNECT_SECONDS = 20
_CHUNK_BYTES = 1 << 20
_HASHES = {64: "sha256", 128: "sha512"}  # by the number of hex digits


class DownloadFailed(RuntimeError):
    """A program could not be downloaded or did not match its checksum; nothing was installed."""


def download_program(spec: ProgramSpec, version: str, bin_dir: Path) -> Path:
    """Download one program into `bin_dir`, verified; return the executable's path.

    Raises:
        DownloadFailed: Unknown platform, unreachable, or a wrong checksum.
    """
    system, machine = _platform()
    bin_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=bin_dir.parent, prefix="download-") as folder:
        if spec is PULUMI:
            _download_pulumi(version, system, machine, Path(folder), bin_dir)
        elif spec is OPA:
            _download_opa(version, system, machine, Path(folder), bin_dir)
        else:
            raise DownloadFailed(f"no download is known for {spec.name}")
    return bin_dir / spec.name


def _download_pulumi(version: str, system: str, machine: str, folder: Path, bin_dir: Path) -> None:
    machine = {"amd64": "x64"}.get(machine, machine)
    name = f"pulumi-v{version}-{system}-{machine}.tar.gz"
    # The checksums come from another host than the archive: one of them replaced is noticed.
    releases = f"https://github.com/pulumi/pulumi/releases/download/v{version}"
    expected = _find_checksum(_fetch_text(f"{releases}/SHA512SUMS"), name)
    archive = folder / name
    _fetch_file(f"https://get.pulumi.com/releases/sdk/{name}", archive, expected)
    with tarfile.open(archive) as opened:
        opened.extractall(folder, filter="data")
    for path in sorted((folder / "pulumi").iterdir()):
        if path.name == "pulumi" or path.name.startswith("pulumi-language-python"):
            _install(path, bin_dir)


def _download_opa(version: str, system: str, machine: str, folder: Path, bin_dir: Path) -> None:
    # The static build has no WebAssembly and needs no C library; macOS has no static x64 one.
    suffix = "" if (system, machine) == ("darwin", "amd64") else "_static"
    name = f"opa_{system}_{machine}{suffix}"
    address = f"https://openpolicyagent.org/downloads/v{version}/{name}"
    expected = _find_checksum(_fetch_text(f"{address}.sha256"), name)
    path = folder / "opa"
    _fetch_file(address, path, expected)
    _install(path, bin_dir)


def _platform() -> tuple[str, str]:
    system = platform.system().lower()
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    if system not in {"linux", "darwin"} or machine not in {"amd64", "arm64"}:
        raise DownloadFailed(f"there is no official download for {system} on {machine}")
    return system, machine


def _open(address: str) -> urllib.request.Request:
    return urllib.request.Request(address, headers={"User-Agent": "tidegate-setup"})  # noqa: S310 - https only


def _fetch_text(address: str) -> str:
    try:
        with urllib.request.urlopen(_open(address), timeout=CONNECT_SECONDS) as answer:  # noqa: S310 - https only
            text: str = answer.read().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise DownloadFailed(f"{address}: {_reason(error)}") from error
    return text


def _fetch_file(address: str, path: Path, expected: str) -> None:
    digest = hashlib.new(_HASHES[len(expected)])
    try:
        with (
            urllib.request.urlopen(_open(address), timeout=CONNECT_SECONDS) as answer,  # noqa: S310 - https only
            path.open("wb") as file,
        ):
            while piece := answer.read(_CHUNK_BYTES):
                digest.update(piece)
                file.write(piece)
    except OSError as error:
        raise DownloadFailed(f"{address}: {_reason(error)}") from error
    if digest.hexdigest() != expected:
        raise DownloadFailed(
            f"{address}: the {digest.name} is {digest.hexdigest()}, published is {expected}; "
            "it was thrown away"
        )


def _find_checksum(text: str, name: str) -> str:
    """Find the checksum of `name` in lines of `HASH  NAME` (the name may have a folder)."""
    for line in text.splitlines():
        words = line.split()
        named = words[1].lstrip("*").rsplit("/", 1)[-1] if len(words) > 1 else ""
        if words and len(words[0]) in _HASHES and named == name:
            return words[0].lower()
    raise DownloadFailed(f"no checksum is published for {name}")


def _install(path: Path, bin_dir: Path) -> None:
    """Move a file into place whole: a program is never half written where it would be run."""
    path.chmod(0o755)
    staged = bin_dir / f".{path.name}.new"
    shutil.move(path, staged)
    staged.replace(bin_dir / path.name)


def _reason(error: Exception) -> str:
    inner = error.reason if isinstance(error, urllib.error.URLError) else error
    return str(inner) or type(inner).__name__
