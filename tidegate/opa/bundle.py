"""The rules of a pack as a bundle, which a central OPA loads by itself."""

from __future__ import annotations

import hashlib
import json
import subprocess
import tempfile
from pathlib import Path

from tidegate.opa.program import find_opa
from tidegate.ports import RuleEngineError

_BUILD_SECONDS = 60.0


def compute_revision(pack: Path) -> str:
    """Return what names a pack's rules: the same text anywhere is the same revision."""
    digest = hashlib.sha256()
    for path in sorted(_find_modules(pack)):
        digest.update(path.relative_to(pack).as_posix().encode() + b"\0")
        digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def build_bundle(pack: Path, target: Path) -> str:
    """Write a pack's rules as a bundle of OPA's; return its revision.

    Raises:
        RuleEngineError: When a rule does not compile, with OPA's words, or the file cannot be
            written.
    """
    if not target.resolve().parent.is_dir():
        raise RuleEngineError(f"{target} cannot be written: there is no such folder")
    revision = compute_revision(pack)
    with tempfile.TemporaryDirectory(prefix="tidegate-bundle-") as folder:
        # A bundle that names its roots leaves room for others in the same OPA.
        manifest = {"revision": revision, "roots": ["tidegate"]}
        (Path(folder) / ".manifest").write_text(json.dumps(manifest), encoding="utf-8")
        for module in _find_modules(pack):
            copy = Path(folder) / module.relative_to(pack)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(module.read_bytes())
        _run_build(Path(folder), target)
    return revision


def _run_build(folder: Path, target: Path) -> None:
    command = [str(find_opa()), "build", "--bundle", "--output", str(target.resolve()), "."]
    try:
        done = subprocess.run(  # noqa: S603 - the program was found by us, the rest is ours
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=_BUILD_SECONDS,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RuleEngineError(f"OPA could not build the bundle: {error}") from error
    if done.returncode:
        words = (done.stderr.strip() or done.stdout.strip())[:2000]
        raise RuleEngineError(f"OPA could not build the bundle: {words}")


def _find_modules(pack: Path) -> list[Path]:
    return [
        path
        for folder in ("lib", "rules")
        for path in (pack / folder).rglob("*.rego")
        if not path.name.endswith("_test.rego")
    ]
