from __future__ import annotations

import pytest

from tidegate.policy.facts.attached import build_attached
from tidegate.policy.facts.capacity import build_machines
from tidegate.policy.facts.reading import absent, hidden, known
from tidegate.policy.graph import Resource
from tidegate.policy.values import SECRET, UNKNOWN

T4 = {"type": "nvidia-tesla-t4", "count": 2}
AT = "guestAccelerators"


@pytest.mark.parametrize(
    ("written", "fact"),
    [
        ([T4], known([T4], AT)),
        ([{**T4, "type": "projects/p/zones/z/acceleratorTypes/nvidia-tesla-t4"}], known([T4], AT)),
        ([{**T4, "count": "2"}], known([T4], AT)),
        ([T4, {"type": "nvidia-tesla-p4", "count": 0}], known([T4], AT)),
        ([{**T4, "count": 0}], absent(AT)),
        ([], absent(AT)),
        (None, absent(AT)),
        (UNKNOWN, hidden(AT)),
        (SECRET, hidden(AT)),
        ([UNKNOWN], hidden(AT)),
        ([T4, {**T4, "count": UNKNOWN}], hidden(AT)),
        ([{**T4, "type": UNKNOWN}], hidden(AT)),
        ([{"type": "nvidia-tesla-t4"}], hidden(AT)),
        ([{**T4, "count": 1.5}], hidden(AT)),
        (["nvidia-tesla-t4"], hidden(AT)),
        ("nvidia-tesla-t4", hidden(AT)),
    ],
)
def test_what_is_attached_is_read_whole_or_hidden(written, fact):
    assert build_attached({AT: written}, AT) == fact


@pytest.mark.parametrize(
    ("type_token", "at"),
    [
        ("gcp:container/nodePool:NodePool", "nodeConfig"),
        ("gcp:compute/instanceTemplate:InstanceTemplate", ""),
        ("gcp:compute/regionInstanceTemplate:RegionInstanceTemplate", ""),
        ("gcp:compute/instance:Instance", ""),
    ],
)
def test_every_machine_of_google_says_what_is_attached(type_token, at):
    inner = {"machineType": "n1-standard-8", AT: [T4]}
    properties = {at: inner} if at else inner
    (machines,) = build_machines(Resource("urn:a", type_token, "a", properties))
    assert machines["attached"] == known([T4], f"{at}.{AT}" if at else AT)
