"""A real Prometheus on loopback, as Debian packages it: it scrapes what a test serves."""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml
from support.programs import POLL_SECONDS, answers, free_port, lack, running, wait_until

WITHOUT = "TIDEGATE_WITHOUT_PROMETHEUS"
SAMPLE_SECONDS = 30.0


@dataclass(frozen=True)
class Target:
    """What is scraped: HOST:PORT, its path, and a bearer token where it asks for one."""

    address: str
    path: str = "/metrics"
    token: str = ""


@dataclass(frozen=True)
class Prometheus:
    """A server that runs."""

    url: str

    def query(self, expression: str) -> list[dict[str, Any]]:
        """Return the series that an instant query answers."""
        return list(self._get("query", {"query": expression})["result"])

    def alerts(self) -> list[dict[str, Any]]:
        """Return the alerts that are pending or firing."""
        return list(self._get("alerts", {})["alerts"])

    def rule_groups(self) -> list[dict[str, Any]]:
        """Return the loaded groups of rules."""
        return list(self._get("rules", {})["groups"])

    def wait_for(self, expression: str, seconds: float = SAMPLE_SECONDS) -> list[dict[str, Any]]:
        """Return what a query answers once it answers something."""
        until = time.monotonic() + seconds
        while not (found := self.query(expression)):
            assert time.monotonic() < until, f"no series of {expression} after {seconds:g} s"
            time.sleep(POLL_SECONDS)
        return found

    def _get(self, what: str, parameters: Mapping[str, str]) -> dict[str, Any]:
        answer = httpx.get(f"{self.url}/api/v1/{what}", params=parameters, trust_env=False)
        assert answer.is_success, answer.text
        return dict(answer.json()["data"])


def find_prometheus() -> str:
    """Return the program; the test is skipped where it is absent."""
    found = shutil.which("prometheus")
    if found is None:
        lack("no prometheus on PATH; Debian: apt-get install prometheus", WITHOUT)
    return found


@contextmanager
def run_prometheus(
    folder: Path, targets: Mapping[str, Target], rules: Sequence[Path] = (), interval: str = "1s"
) -> Iterator[Prometheus]:
    """Run a server until the block ends.

    Args:
        folder: Where its data and its log go.
        targets: Job → what is scraped.
        rules: Files of recording and alerting rules.
        interval: Between two scrapes, and between two evaluations.
    """
    program, url = find_prometheus(), f"127.0.0.1:{free_port()}"
    config, log = folder / "prometheus.yml", folder / "prometheus.log"
    config.write_text(yaml.safe_dump(_configure(targets, rules, interval)))
    command = [
        *(program, f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"),
        *(f"--web.listen-address={url}", "--log.level=warn"),
        "--scrape.discovery-reload-interval=1s",  # the first sample comes 4 s sooner
    ]
    with running(command, log) as process:
        wait_until(lambda: answers(f"http://{url}/-/ready"), process, log)
        yield Prometheus(f"http://{url}")


def _configure(
    targets: Mapping[str, Target], rules: Sequence[Path], interval: str
) -> dict[str, Any]:
    return {
        "global": {
            "scrape_interval": interval,
            "scrape_timeout": interval,
            "evaluation_interval": interval,
        },
        "rule_files": [str(path) for path in rules],
        "scrape_configs": [_scrape(job, target) for job, target in targets.items()],
    }


def _scrape(job: str, target: Target) -> dict[str, Any]:
    access = {"authorization": {"credentials": target.token}} if target.token else {}
    return {
        "job_name": job,
        "metrics_path": target.path,
        "static_configs": [{"targets": [target.address]}],
        **access,
    }
