"""What is declared is bound once, and each by itself."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from tidegate.clouds.binding import BoundOnce

PATIENCE_SECONDS = 30


def test_a_slow_cloud_delays_no_other():
    may_end = threading.Event()

    def bind(name, _declared, _binding):
        assert name == "quick" or may_end.wait(PATIENCE_SECONDS)
        return name

    declared = {"slow": 1, "quick": 2}
    bound = BoundOnce(declared, {key: {"name": "x"} for key in declared}, bind)
    with ThreadPoolExecutor() as threads:
        slow = threads.submit(bound.find, "slow")
        quick = threads.submit(bound.find, "quick").result(PATIENCE_SECONDS)
        may_end.set()

        assert (quick, slow.result(PATIENCE_SECONDS)) == ("quick", "slow")


def test_who_asks_at_the_same_time_shares_what_was_bound():
    together = threading.Barrier(4)
    calls = []

    def bind(name, _declared, _binding):
        calls.append(name)
        return object()

    bound = BoundOnce({"pool": 1}, {"pool": {"a": "1"}}, bind)

    def find(_number):
        together.wait(PATIENCE_SECONDS)
        return bound.find("pool")

    with ThreadPoolExecutor(4) as threads:
        found = {*threads.map(find, range(4))}

    assert (len(found), calls) == (1, ["pool"])
