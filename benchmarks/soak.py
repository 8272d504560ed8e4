"""Hours of faults in compressed time, longer than a test lives through.

    python benchmarks/soak.py --hours 24 --seed 7

Exit code 1 when a promise was broken; the seed shows it again.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from pathlib import Path

import structlog
from figures import print_figure

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from support.soak import Soak


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--hours", type=float, default=24, help="hours of faults (default: 24)")
    parser.add_argument("--seed", type=int, help="a seed to live again (default: a new one)")
    options = parser.parse_args()
    seed = random.SystemRandom().randrange(1_000_000) if options.seed is None else options.seed
    print(f"seed {seed}, {options.hours:g} h", flush=True)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    began = time.process_time()
    with tempfile.TemporaryDirectory() as folder:
        soak = Soak(Path(folder), seed)
        try:
            soak.run(options.hours)
            soak.check()
        except AssertionError as broken:
            sys.stderr.write(f"{broken}\n")
            return 1
        finally:
            soak.close()
    counts = {**soak.weather.kinds, **soak.kinds}
    for kind, count in sorted(counts.items()):
        print(f"  {kind}: {count}")
    print_figure("turns of a soak without a broken promise", [soak.turns], "turns")
    print_figure("work served in them", [soak.world.served], "items")
    print_figure(
        "interrupted, by clouds or by hand, and served later", [soak.world.interrupted], ""
    )
    print_figure("CPU time", [time.process_time() - began], "s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
