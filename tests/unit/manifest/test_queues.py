"""Queues against the pools that they fill."""

from __future__ import annotations

import pytest

from tidegate.manifest.check import check_manifest
from tidegate.manifest.model import Pool
from tidegate.manifest.queues import count_units


@pytest.fixture
def queue(pool):
    def build(id="train", **changes):
        return {
            "id": id,
            "cloud": "gcp",
            "cluster": pool().get("cluster", ""),
            "accelerator": "a100-80gb",
            "interruptionTolerance": "tolerant",
            "pools": ["train-a100"],
            "quotas": {"train-a100": 8},
            "labels": pool()["labels"],
            **changes,
        }

    return build


def errors(manifest):
    found = [finding.problem for finding in check_manifest(manifest) if finding.level == "error"]
    return [str(problem) for problem in found if "queue" in problem.where]


def test_a_queue_over_declared_pools_is_sound(manifest_of, pool, queue):
    manifest = manifest_of(pools=[pool()], queues=[queue()])

    assert errors(manifest) == []
    assert manifest.queues[0].pools == ["train-a100"]


def test_every_fault_of_a_queue_is_said(manifest_of, pool, queue):
    pools = [pool(), pool("cpu", accelerator="", acceleratorsPerNode=0)]
    wrong = queue(
        pools=["train-a10", "cpu", "train-a100"],
        quotas={"cpu": 1, "train-h100": 1},
        interruptionTolerance="intolerant",
        cluster="other",
    )

    said = "\n".join(errors(manifest_of(pools=pools, queues=[wrong])))

    assert (
        "queue train: pools = 'train-a10': is no declared pool (did you mean 'train-a100'?)" in said
    )
    assert "pools = 'cpu': has no accelerator; expected a pool with a100-80gb" in said
    assert "pools = 'train-h100': is no declared pool" in said
    assert "pools = 'train-a100': is a spot pool, and the queue's work survives no" in said
    assert "expected a pool of gcp/other" in said


def test_queues_together_own_no_more_than_the_pool_can_have(manifest_of, pool, queue):
    most = count_units(Pool.model_validate(pool()))
    one, two = (queue(name, quotas={"train-a100": most // 2 + 1}) for name in ("a", "b"))

    (said,) = errors(manifest_of(pools=[pool()], queues=[one, two]))

    assert said.startswith(f"queues a, b: quotas.train-a100 = {2 * (most // 2 + 1)}: is more than")


def test_units_are_what_pods_request(pool):
    def count(**changes):
        return count_units(Pool.model_validate(pool(maxNodes=2, **changes)))

    assert count(acceleratorsPerNode=8) == 16
    shared = {"strategy": "time-sharing", "clientsPerAccelerator": 4}
    assert count(acceleratorsPerNode=1, sharing=shared) == 8
    assert count(accelerator="", acceleratorsPerNode=0) == 2
