"""How long `./scripts/up` takes when everything is set up: a fresh stack, and one that is up.

Usage: up.py [REPEATS]. The fresh-machine figure takes a fresh clone and minutes: `up.py --fresh`
clones this checkout into a temporary folder, with empty Go and Python caches, and measures that.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from figures import print_figure

ROOT = Path(__file__).resolve().parent.parent
FRESH_GOAL_SECONDS = 360.0
WARM_GOAL_SECONDS = 30.0


def main(repeats: int) -> None:
    first, again = [], []
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
            state = Path(folder) / "state"
            try:
                first.append(run_up(ROOT, "prod", "--state-dir", str(state)))
                again.append(run_up(ROOT, "prod", "--state-dir", str(state)))
            finally:
                run(
                    [
                        str(ROOT / ".venv/bin/tidegate"),
                        "local",
                        "down",
                        "--state-dir",
                        str(state / "local"),
                    ]
                )
    print_figure("up.prod.warm_first", first, "s", goal=WARM_GOAL_SECONDS)
    print_figure("up.prod.warm_again", again, "s", goal=WARM_GOAL_SECONDS)


def measure_fresh() -> None:
    """Measure the two commands' first one in a fresh clone, with nothing cached."""
    with tempfile.TemporaryDirectory(prefix="tidegate-bench-") as folder:
        clone = Path(folder) / "clone"
        run(["git", "clone", "--quiet", str(ROOT), str(clone)])
        caches = {
            name: str(Path(folder) / name)
            for name in ("GOMODCACHE", "GOCACHE", "PIP_CACHE_DIR", "UV_CACHE_DIR")
        }
        try:
            seconds = run_up(clone, "prod", environment={**os.environ, **caches})
        finally:
            run([str(clone / ".venv/bin/tidegate"), "local", "down"], cwd=clone)
            # Go makes its module cache read-only.
            run(["chmod", "-R", "u+w", folder])
    print_figure("up.prod.fresh_machine", [seconds], "s", goal=FRESH_GOAL_SECONDS)


def run_up(root: Path, *arguments: str, environment: dict[str, str] | None = None) -> float:
    started = time.perf_counter()
    run([str(root / "scripts" / "up"), *arguments], environment=environment)
    return time.perf_counter() - started


def run(
    command: list[str], environment: dict[str, str] | None = None, cwd: Path | None = None
) -> None:
    done = subprocess.run(
        command, env=environment, cwd=cwd, capture_output=True, text=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    if "--fresh" in sys.argv:
        measure_fresh()
    else:
        main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
