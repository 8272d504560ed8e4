"""Stops a SageMaker notebook instance that nobody works on; run by a timer on the instance.

Asked to report, it also tells CloudWatch whether somebody works and how busy the machine is, which
nobody else can tell of such an instance.

It is copied to the instance as it is, so it needs nothing but the standard library of an old
Python 3. A busy kernel is work, however long its last message is ago: only the maximum age, where
one was declared, stops it. Where Jupyter does not answer, nothing is known, and nothing is stopped.
"""

from __future__ import annotations

import argparse
import calendar
import json
import os
import shutil
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
NAMESPACE = "Tidegate/Notebooks"
PERIOD_SECONDS = 300
"""How often the timer looks; what was active since the last look is working."""


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


def read_utilization() -> float | None:
    """Return how busy the busiest GPU is, or the CPUs where there is none, in per cent."""
    if shutil.which("nvidia-smi") is None:
        return min(100.0, os.getloadavg()[1] / (os.cpu_count() or 1) * 100)
    asked = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
    try:
        found = subprocess.run(  # noqa: S603 - the driver's own program
            asked, check=True, capture_output=True, text=True, timeout=20
        ).stdout
        return max(float(line) for line in found.splitlines())
    except (OSError, subprocess.SubprocessError, ValueError) as error:
        sys.stdout.write(f"nvidia-smi does not answer, so nothing is known: {error}\n")
        return None


def build_metrics(
    name: str, now: float, last: float | None, known: bool, utilization: float | None
) -> list[dict[str, Any]]:
    """Return what CloudWatch is told; what is not known is left out."""
    working = last is not None and now - last < PERIOD_SECONDS
    values: dict[str, float | None] = {
        "Working": float(working) if known else None,
        "Utilization": utilization,
    }
    dimensions = [{"Name": "NotebookInstanceName", "Value": name}]
    return [
        {"MetricName": metric, "Dimensions": dimensions, "Value": value}
        for metric, value in values.items()
        if value is not None
    ]


def report(region: str, metrics: list[dict[str, Any]]) -> None:
    """Tell CloudWatch; that it does not listen keeps nothing from being stopped."""
    command = ["aws", "cloudwatch", "put-metric-data", "--region", region]
    words = [*command, "--namespace", NAMESPACE, "--metric-data", json.dumps(metrics)]
    done = subprocess.run(words, check=False)  # noqa: S603 - what this program made itself
    if done.returncode:
        sys.stdout.write(f"CloudWatch was not told: exit code {done.returncode}\n")


def main() -> None:
    """Look once, and stop the instance where it is time to."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--idle-seconds", type=int, required=True)
    parser.add_argument("--max-age-seconds", type=int, default=0)
    parser.add_argument("--report", action="store_true")
    given = parser.parse_args()
    now = time.time()
    boot = now - float(Path("/proc/uptime").read_text(encoding="ascii").split()[0])
    known, last = read_activity(now)
    # Without an answer only the age is known.
    idle_seconds = given.idle_seconds if known else sys.maxsize
    reason = decide_stop(now, boot, last, idle_seconds, given.max_age_seconds)
    if not reason and not given.report:
        return
    metadata = json.loads(Path(METADATA).read_text(encoding="utf-8"))
    name, region = metadata["ResourceName"], metadata["ResourceArn"].split(":")[3]
    if given.report:
        metrics = build_metrics(name, now, last, known, read_utilization())
        if metrics:
            report(region, metrics)
    if not reason:
        return
    sys.stdout.write(f"{name} {reason}: stopping\n")
    command = ["aws", "sagemaker", "stop-notebook-instance", "--region", region]
    subprocess.run(  # noqa: S603 - the instance's own name, from SageMaker's own file
        [*command, "--notebook-instance-name", name], check=True
    )


if __name__ == "__main__":
    main()
