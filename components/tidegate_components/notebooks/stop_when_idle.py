"""Stops a SageMaker notebook instance that nobody works on; run by a timer on the instance.

It is copied to the instance as it is, so it needs nothing but the standard library of an old
Python 3. A busy kernel is work, however long its last message is ago: only the maximum age, where
one was declared, stops it. Where Jupyter does not answer, nothing is known, and nothing is stopped.
"""

from __future__ import annotations

import argparse
import calendar
import json
import ssl
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

JUPYTER = "https://localhost:8443/api/"
METADATA = "/opt/ml/metadata/resource-metadata.json"
WORKING = ("busy", "starting", "restarting")


def parse_moment(text: str) -> float:
    """Return Jupyter's UTC time ("2026-11-30T14:00:00.123456Z") as seconds since 1970."""
    return calendar.timegm(time.strptime(text[:19], "%Y-%m-%dT%H:%M:%S"))


def find_last_activity(
    kernels: list[dict[str, Any]], terminals: list[dict[str, Any]], now: float
) -> float | None:
    """Return when somebody or something last worked; `now` while a kernel does."""
    if any(kernel.get("execution_state") in WORKING for kernel in kernels):
        return now
    moments = [each["last_activity"] for each in [*kernels, *terminals] if "last_activity" in each]
    return max((parse_moment(moment) for moment in moments), default=None)


def decide_stop(
    now: float, boot: float, last: float | None, idle_seconds: int, max_age_seconds: int
) -> str:
    """Return why the instance stops, or "" where it goes on; `boot` counts as activity."""
    age = now - boot
    if max_age_seconds and age >= max_age_seconds:
        return f"has run for {age:.0f} s, and may for {max_age_seconds}"
    idle = now - max(boot, last or boot)
    if idle >= idle_seconds:
        return f"has been idle for {idle:.0f} s, and may for {idle_seconds}"
    return ""


def fetch(path: str) -> list[dict[str, Any]]:
    """Return what Jupyter says, without counting as activity itself."""
    context = ssl.create_default_context()
    # The server on this machine signs its own certificate.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    url = JUPYTER + path + "?no_track_activity=1"
    with urllib.request.urlopen(  # noqa: S310 - the scheme is the constant's
        url, context=context, timeout=20
    ) as answer:
        found: list[dict[str, Any]] = json.load(answer)
    return found


def read_activity(now: float) -> tuple[bool, float | None]:
    """Return whether Jupyter answered, and the last activity that it knows."""
    try:
        return True, find_last_activity(fetch("kernels"), fetch("terminals"), now)
    except (OSError, ValueError) as error:
        sys.stdout.write(f"Jupyter does not answer, so nothing is known: {error}\n")
        return False, None


def main() -> None:
    """Look once, and stop the instance where it is time to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle-seconds", type=int, required=True)
    parser.add_argument("--max-age-seconds", type=int, default=0)
    given = parser.parse_args()
    now = time.time()
    boot = now - float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    known, last = read_activity(now)
    # Without an answer only the age is known.
    idle_seconds = given.idle_seconds if known else sys.maxsize
    reason = decide_stop(now, boot, last, idle_seconds, given.max_age_seconds)
    if not reason:
        return
    metadata = json.loads(Path(METADATA).read_text(encoding="utf-8"))
    name, region = metadata["ResourceName"], metadata["ResourceArn"].split(":")[3]
    sys.stdout.write(f"{name} {reason}: stopping\n")
    command = ["aws", "sagemaker", "stop-notebook-instance", "--region", region]
    subprocess.run(  # noqa: S603 - the instance's own name, from SageMaker's own file
        [*command, "--notebook-instance-name", name], check=True
    )


if __name__ == "__main__":
    main()
