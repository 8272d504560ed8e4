from __future__ import annotations

import pytest

from tidegate.manifest.check import FindingLevel, check_manifest
from tidegate.manifest.times import explain_cron, explain_time_zone


def errors(manifest):
    return [str(f.problem) for f in check_manifest(manifest) if f.level is FindingLevel.ERROR]


def warnings(manifest):
    return [str(f.problem) for f in check_manifest(manifest) if f.level is FindingLevel.WARNING]


def test_a_sound_manifest_has_no_findings(manifest_of, pool):
    assert check_manifest(manifest_of(pools=[pool()])) == []


def reserved(pool, **changes):
    base = {
        "capacityType": "reserved",
        "reservation": "serve-h100",
        "instanceTypes": ["a3-highgpu-8g"],
        "interruptionTolerance": "intolerant",
        "workloadClasses": ["inference"],
    }
    return pool("serve", **{**base, **changes})


def test_a_pool_may_consume_the_reservation_that_covers_it(manifest_of, pool, commitment):
    assert check_manifest(manifest_of(pools=[reserved(pool)], commitments=[commitment()])) == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        (
            {"minNodes": 5},
            "pool train-a100: minNodes = 5: is above maxNodes 4; expected at most 4",
        ),
        (
            {"declaredNodes": "4.5"},
            (
                "pool train-a100: declaredNodes = 4.5: lies outside minNodes 0 and maxNodes 4; "
                "expected a value between them"
            ),
        ),
        (
            {"scaler": "karpenter"},
            (
                "pool train-a100: scaler = 'karpenter': does not resize a pool of kind "
                "gke-node-pool; expected karpenter for a karpenter-node-pool, and for no other"
            ),
        ),
        (
            {"nodesAtOnce": 3, "maxNodes": 4},
            (
                "pool train-a100: maxNodes = 4: is a part of the 3 nodes that come and go "
                "together; expected a multiple of 3"
            ),
        ),
        (
            {"interruptionTolerance": "intolerant"},
            (
                "pool train-a100: interruptionTolerance = 'intolerant': spot nodes are taken away "
                "at short notice; expected tolerant"
            ),
        ),
        (
            {"reservation": "serve-h100"},
            (
                "pool train-a100: reservation = 'serve-h100': cannot be consumed by capacity type "
                "spot; expected capacityType reserved, or none"
            ),
        ),
        (
            {"windows": [{"cron": "0 25 * * *", "timeZone": "UTC", "durationSeconds": 60}]},
            (
                "pool train-a100: windows[0].cron = '0 25 * * *': has '25' as hour, which is not "
                "within 0-23; expected five fields: minute hour day-of-month month day-of-week"
            ),
        ),
        (
            {
                "schedules": [
                    {
                        "cron": "0 9 * * 1-5",
                        "timeZone": "Europe/Berln",
                        "minNodes": 0,
                        "maxNodes": 1,
                    }
                ]
            },
            (
                "pool train-a100: schedules[0].timeZone = 'Europe/Berln': is not in the IANA "
                "time-zone database; expected an IANA zone such as 'Europe/Berlin' or 'UTC'"
            ),
        ),
        (
            {
                "schedules": [
                    {"cron": "0 9 * * 1-5", "timeZone": "UTC", "minNodes": 3, "maxNodes": 1}
                ]
            },
            "pool train-a100: schedules[0].minNodes = 3: is above maxNodes 1; expected at most 1",
        ),
        (
            {"kind": "eks-node-group", "cloud": "aws", "scaler": "provider"},
            (
                "pool train-a100: scaler = 'provider': EKS scales no node group by itself; "
                "expected cluster-autoscaler or tidegate"
            ),
        ),
    ],
)
def test_a_pool_that_contradicts_itself_is_an_error(manifest_of, pool, changes, expected):
    found = errors(manifest_of(pools=[pool(**changes)]))

    assert expected in found


@pytest.mark.parametrize(
    ("pool_changes", "commitment_changes", "expected"),
    [
        (
            {"reservation": "serve-h10"},
            {},
            (
                "pool serve: reservation = 'serve-h10': is no declared commitment (did you mean "
                "'serve-h100'?); expected one of ['serve-h100']"
            ),
        ),
        (
            {"reservation": ""},
            {},
            (
                "pool serve: reservation: is needed by capacity type reserved and is missing; "
                "expected the id of a declared commitment"
            ),
        ),
        (
            {},
            {"region": "us-east4"},
            (
                "pool serve: reservation = 'serve-h100': stands in gcp/us-east4, the pool in "
                "gcp/us-central1; expected one in the pool's own region"
            ),
        ),
        (
            {},
            {"covers": ["a3-megagpu-8g"]},
            (
                "pool serve: reservation = 'serve-h100': covers a3-megagpu-8g, not a3-highgpu-8g; "
                "expected one that covers the pool's nodes"
            ),
        ),
    ],
)
def test_a_reservation_that_cannot_serve_its_pool_is_an_error(
    manifest_of, pool, commitment, pool_changes, commitment_changes, expected
):
    manifest = manifest_of(
        pools=[reserved(pool, **pool_changes)], commitments=[commitment(**commitment_changes)]
    )

    assert errors(manifest) == [expected]


@pytest.fixture
def served(commitment):
    return {
        "id": "chat",
        "cloud": "gcp",
        "region": "us-central1",
        "commitment": "serve-h100",
        "minReplicas": 0,
        "maxReplicas": 2,
        "labels": commitment()["labels"],
    }


def test_an_endpoints_commitment_is_declared(manifest_of, commitment, served):
    endpoint = {**served, "commitment": "serve-h10"}

    assert errors(manifest_of(commitments=[commitment()], endpoints=[endpoint])) == [
        (
            "endpoint chat: commitment = 'serve-h10': is no declared commitment (did you mean "
            "'serve-h100'?); expected one of ['serve-h100']"
        )
    ]


def test_reserved_machines_that_the_endpoints_pool_does_not_consume_are_an_error(
    manifest_of, pool, commitment, served
):
    endpoint = {**served, "pool": "train-a100"}

    assert errors(
        manifest_of(pools=[pool()], commitments=[commitment()], endpoints=[endpoint])
    ) == [
        (
            "endpoint chat: commitment = 'serve-h100': is not what its pool train-a100 consumes, "
            "so that it would stay idle; expected reservation 'serve-h100' on the pool"
        )
    ]


def test_an_endpoint_without_its_pool_is_an_error(manifest_of, pool):
    labels = pool()["labels"]
    endpoint = {
        "id": "chat",
        "cloud": "gcp",
        "region": "us-central1",
        "pool": "train-a10",
        "minReplicas": 2,
        "maxReplicas": 1,
        "labels": labels,
    }

    assert errors(manifest_of(pools=[pool()], endpoints=[endpoint])) == [
        "endpoint chat: minReplicas = 2: is above maxReplicas 1; expected at most 1",
        (
            "endpoint chat: pool = 'train-a10': is no declared pool (did you mean 'train-a100'?); "
            "expected one of ['train-a100']"
        ),
    ]


def test_cost_booked_on_another_pool_is_an_error(manifest_of, pool):
    labels = {**pool()["labels"], "capacity-pool": "other"}

    assert errors(manifest_of(pools=[pool(labels=labels)])) == [
        (
            "pool train-a100: labels.capacity-pool = 'other': names another pool, so cost would be "
            "booked there; expected 'train-a100'"
        )
    ]


def test_spot_training_without_a_checkpoint_is_a_warning_and_no_error(manifest_of, pool):
    manifest = manifest_of(pools=[pool(checkpoint=None)])

    assert errors(manifest) == []
    assert warnings(manifest) == [
        (
            "pool train-a100: checkpoint: is missing: an interruption loses a training run's whole "
            "work; expected interval, write and restart seconds of the checkpoints"
        )
    ]


def test_a_reservation_that_no_pool_consumes_is_a_warning(manifest_of, commitment):
    assert warnings(manifest_of(commitments=[commitment()])) == [
        (
            "commitment serve-h100: is consumed by no pool, and is paid for all the same; "
            "expected a pool that names it"
        )
    ]


@pytest.mark.parametrize("cron", ["0 12 * * *", "*/5 0-6 1,15 jan-mar mon-fri", "0 0 * * 7"])
def test_valid_cron_lines_pass(cron):
    assert explain_cron(cron) == ""


@pytest.mark.parametrize(
    "cron", ["", "0 12 * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "@daily"]
)
def test_invalid_cron_lines_are_explained(cron):
    assert explain_cron(cron) != ""


@pytest.mark.parametrize("zone", ["EST", "CET", "+02:00", "../etc/passwd", "Mars/Base", ""])
def test_zones_that_daylight_saving_would_make_wrong_are_refused(zone):
    assert explain_time_zone(zone) != ""


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin", "America/New_York"])
def test_iana_zones_pass(zone):
    assert explain_time_zone(zone) == ""


@pytest.mark.parametrize(
    ("changes", "line"),
    [
        (
            {"onDemandBaseNodes": 5},
            "pool train-a100: onDemandBaseNodes = 5: is above maxNodes 4; expected at most 4",
        ),
        (
            {"capacityType": "on-demand", "onDemandBaseNodes": 1},
            (
                "pool train-a100: onDemandBaseNodes = 1: concerns spot pools, and this one is "
                "on-demand; expected 0, or capacityType spot"
            ),
        ),
        (
            {"capacityType": "on-demand", "onDemandPercentAboveBase": 20},
            (
                "pool train-a100: onDemandPercentAboveBase = 20: concerns spot pools, and this one "
                "is on-demand; expected 0, or capacityType spot"
            ),
        ),
    ],
)
def test_a_floor_bought_on_demand_is_part_of_a_spot_pool(manifest_of, pool, changes, line):
    assert errors(manifest_of(pools=[pool(**changes)])) == [line]
