from __future__ import annotations

import pytest
from tidegate_components import ControllerAccess
from tidegate_components.controller_access.parse import parse_access

from tidegate.vocabulary.problems import InvalidInput


@pytest.mark.parametrize(
    ("cloud", "own", "line"),
    [
        ("aws", {"pools": []}, "aws.pools: is required and is missing; expected at least one"),
        (
            "aws",
            {"pools": ["*"]},
            (
                "aws.pools[0] = '*': is no pool's id; expected 1 to 63 lowercase letters, digits "
                "and '-', not at either end"
            ),
        ),
        (
            "aws",
            {"regions": ["*"]},
            "aws.regions[0] = '*': is no region of AWS; expected such as us-east-1",
        ),
        (
            "aws",
            {"pod_identity": None},
            (
                "aws.pod_identity: is missing: who gets the role; expected one of pod_identity, "
                "irsa, principal_arns"
            ),
        ),
        (
            "aws",
            {"principal_arns": ["arn:x"]},
            (
                "aws.pod_identity = 'pod_identity and principal_arns': are more than one way to "
                "get the role; expected one of pod_identity, irsa, principal_arns"
            ),
        ),
        (
            "aws",
            {"pod_identity": {"cluster": "ml", "namespace": "*", "service_account": "c"}},
            (
                "aws.pod_identity.namespace = '*': is no name in Kubernetes; expected 1 to 63 "
                "lowercase letters, digits and '-', not at either end"
            ),
        ),
        (
            "aws",
            {"pod_identity": {"namespace": "n", "service_account": "c"}},
            "aws.pod_identity.cluster: is required and is missing; expected a value or an Output",
        ),
        (
            "azure",
            {
                "federation": {
                    "identity_name": "controller",
                    "resource_group_name": "ml",
                    "namespace": "tidegate",
                    "service_account": "controller",
                }
            },
            "azure.federation.issuer: is required and is missing; expected a value or an Output",
        ),
        (
            "gcp",
            {"clusters": [f"c{number}" for number in range(7)]},
            (
                "gcp.clusters = 7: are more than one IAM condition can name: it takes 12 logical "
                "operators; expected at most 6"
            ),
        ),
        (
            "gcp",
            {"clusters": ["projects/p/clusters/c"]},
            (
                "gcp.clusters[0] = 'projects/p/clusters/c': is no name of a GKE cluster; expected "
                "a cluster's name, without its project and place"
            ),
        ),
        (
            "gcp",
            {"group_tag": {"key": "1/scaled", "value": '") || true || ("'}},
            (
                "gcp.group_tag.value = '\") || true || (\"': is no short value of a tag; expected "
                "letters, digits, '-', '_', '.'"
            ),
        ),
    ],
)
def test_what_would_widen_or_break_a_role_is_refused(args, cloud, own, line):
    with pytest.raises(InvalidInput) as caught:
        parse_access("controller", args(cloud, **own))

    assert str(caught.value) == f"access controller: {line}"


def test_more_pools_than_a_policy_can_name_are_refused(args):
    pools = [f"pool-number-{number:03}-of-a-large-fleet" for number in range(200)]

    with pytest.raises(InvalidInput, match=r"aws\.pools = 200: make a policy of \d+ characters"):
        parse_access("controller", args("aws", pools=pools))


@pytest.mark.parametrize(
    ("cloud", "own", "missing"),
    [
        ("gcp", {"project": None}, ["gcp.project"]),
        ("azure", {"pool_scopes": []}, ["azure.pool_scopes"]),
        (
            "azure",
            {"principal_id": None, "subscription": None},
            ["azure.principal_id", "azure.subscription"],
        ),
    ],
)
def test_missing_inputs_are_refused_before_registration(args, cloud, own, missing):
    # No engine runs here: to register anything would fail otherwise.
    with pytest.raises(InvalidInput) as caught:
        ControllerAccess("controller", args(cloud, **own))

    assert [problem.property for problem in caught.value.problems] == missing
