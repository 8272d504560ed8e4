"""Holds every locked dependency against OSV's database of vulnerabilities, by pip-audit.

    python tools/audit/audit_locks.py                       # all locks
    python tools/audit/audit_locks.py requirements/run.txt  # these

Exit code 1 for a known vulnerability, or when something could not be audited though the database
answers; 77, "skipped", with one line where no database can be reached. TIDEGATE_OSV_URL names
another database of OSV's form; what is accepted for a while stands in ACCEPTED.
"""

# ruff: noqa: INP001 - a script run by path, not imported

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# `dev` has all that `run` and `controller` have, in the same versions.
LOCKS = tuple(ROOT / "requirements" / name for name in ("dev.txt", "polyaxon.txt", "uv.txt"))
DATABASE = "https://api.osv.dev/v1/query"
PROBE_SECONDS = 5.0
SECONDS = 10
SKIPPED = 77
"""What scripts/test shows as skipped."""
AUDIT_SECONDS = 300
KNOWN = {"package": {"name": "jinja2", "ecosystem": "PyPI"}, "version": "2.4.1"}
"""The example of OSV's own page: a version that is known to be vulnerable."""
ACCEPTED: dict[str, str] = {}
"""Vulnerability → why it does not concern Tidegate, and until when."""


def find_database(url: str) -> str:
    """Return why a database cannot be asked; empty when it answers, and knows what it should."""
    if not url.startswith(("https://", "http://127.0.0.1:")):
        return "its URL is not https"
    request = urllib.request.Request(  # noqa: S310 - the scheme was looked at
        url, json.dumps(KNOWN).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=PROBE_SECONDS) as answer:  # noqa: S310
            found = json.load(answer)
    except (OSError, ValueError) as error:
        return f"it does not answer ({error})"
    if not isinstance(found, dict) or not found.get("vulns"):
        return "it does not know a vulnerability that has been public for years"
    return ""


def audit_lock(lock: Path, url: str) -> Iterator[str]:
    """Yield what is wrong with one lock: a line for each vulnerability or gap."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(  # noqa: S603 - our own interpreter and arguments
            [
                *(sys.executable, "-m", "pip_audit", "--requirement", str(lock)),
                *("--disable-pip", "--require-hashes", "--progress-spinner", "off"),
                *("--vulnerability-service", "osv", "--osv-url", url),
                *("--timeout", str(SECONDS), "--cache-dir", str(Path(folder) / "cache")),
                *("--format", "json", "--output", str(report)),
                *(f"--ignore-vuln={each}" for each in ACCEPTED),
            ],
            capture_output=True,
            text=True,
            timeout=AUDIT_SECONDS,
            check=False,
        )
        if not report.is_file():
            words = " ".join(done.stderr.split())[-500:]
            yield f"{lock.name}: the audit did not come to its end: {words}"
            return
        yield from read_report(lock.name, json.loads(report.read_text(encoding="utf-8")))


def read_report(lock: str, report: dict[str, Any]) -> Iterator[str]:
    """Yield a line for each vulnerability, and for each package that was not audited."""
    for package in report["dependencies"]:
        if "skip_reason" in package:
            yield f"{lock}: {package['name']} was not audited: {package['skip_reason']}"
        for each in package.get("vulns", ()):
            names = ", ".join([each["id"], *each.get("aliases", ())])
            fixed = ", ".join(each["fix_versions"]) or "no version yet"
            yield f"{lock}: {package['name']} {package['version']}: {names}; fixed in {fixed}"


def main() -> int:
    """Audit, and say what is wrong."""
    url = os.environ.get("TIDEGATE_OSV_URL", DATABASE)
    why = find_database(url)
    if why:
        sys.stdout.write(f"skipped: no database of vulnerabilities can be reached: {why}\n")
        return SKIPPED
    locks = [Path(each) for each in sys.argv[1:]] or LOCKS
    faults = [fault for lock in locks for fault in audit_lock(lock, url)]
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    if not faults:
        sys.stdout.write(f"no known vulnerability in {', '.join(lock.name for lock in locks)}\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
