from __future__ import annotations

import json
import uuid

import pulumi
import pulumi_aws
import pulumi_azure_native
import pulumi_gcp
import pytest
from support.controller_accesses import CLOUDS
from tidegate_components import ControllerAccess

from tidegate.manifest.model import Fragment


@pytest.mark.parametrize(
    ("cloud", "bound"),
    [
        ("aws", {"role": "arn:role", "policy": "arn:policy"}),
        ("gcp", {"serviceAccount": "controller@acme"}),
    ],
)
def test_bindings_say_which_identity_the_controller_takes_on(declare, cloud, bound):
    outputs = declare(cloud).outputs["controller"]

    assert outputs["bindings"]["controller"] == {"cloud": cloud, **bound}
    assert Fragment.model_validate(outputs["capacity"]) == Fragment()


def test_pod_identity_hands_the_role_to_one_service_account(declare):
    recording = declare("aws")

    (statement,) = json.loads(recording.one("iam/role:Role").inputs["assumeRolePolicy"])[
        "Statement"
    ]
    assert statement == {
        "Effect": "Allow",
        "Principal": {"Service": "pods.eks.amazonaws.com"},
        "Action": ["sts:AssumeRole", "sts:TagSession"],
        "Condition": {
            "StringEquals": {
                "aws:RequestTag/kubernetes-namespace": "tidegate",
                "aws:RequestTag/kubernetes-service-account": "controller",
            }
        },
    }
    association = recording.one("podIdentityAssociation:PodIdentityAssociation").inputs
    assert (association["clusterName"], association["roleArn"]) == ("ml", "arn:role")


def test_a_clusters_tokens_of_one_service_account_get_the_role(declare):
    irsa = {
        "provider_arn": "arn:oidc",
        "issuer": "https://oidc.eks.us-east-1.amazonaws.com/id/1",
        "namespace": "tidegate",
        "service_account": "controller",
    }

    recording = declare("aws", pod_identity=None, irsa=irsa)

    (statement,) = json.loads(recording.one("iam/role:Role").inputs["assumeRolePolicy"])[
        "Statement"
    ]
    assert statement["Principal"] == {"Federated": "arn:oidc"}
    assert statement["Condition"] == {
        "StringEquals": {
            "oidc.eks.us-east-1.amazonaws.com/id/1:sub": (
                "system:serviceaccount:tidegate:controller"
            ),
            "oidc.eks.us-east-1.amazonaws.com/id/1:aud": "sts.amazonaws.com",
        }
    }
    assert recording.of("podIdentityAssociation:PodIdentityAssociation") == []


def test_named_principals_get_the_role_outside_kubernetes(declare):
    arns = ["arn:aws:iam::123456789012:role/host"]

    recording = declare("aws", pod_identity=None, principal_arns=arns)

    (statement,) = json.loads(recording.one("iam/role:Role").inputs["assumeRolePolicy"])[
        "Statement"
    ]
    assert (statement["Principal"], statement["Action"]) == ({"AWS": arns}, "sts:AssumeRole")


def test_cost_labels_are_stamped_or_said(declare, labels):
    stamped = {**labels, "managed-by": "tidegate"}

    recording = declare("aws")
    for kind in ("iam/role:Role", "iam/policy:Policy", "PodIdentityAssociation"):
        assert recording.one(kind).inputs["tags"] == stamped
    said = "business-unit=research cost-center=cc-1001 environment=prod"
    for kind in ("IAMCustomRole", "serviceaccount/account:Account"):
        assert all(said in each.inputs["description"] for each in declare("gcp").of(kind))
    for kind in ("RoleDefinition", "RoleAssignment"):
        assert all(said in each.inputs["description"] for each in declare("azure").of(kind))


def test_google_roles_are_bound_where_they_can_be_held_to_something(declare):
    recording = declare("gcp")

    bound = {
        each.inputs["role"]: each.inputs.get("condition", {}).get("expression")
        for each in recording.of("projects/iAMMember:IAMMember")
    }
    assert bound == {
        "controller-project": None,
        "controller-cluster": (
            'resource.name.endsWith("/clusters/train") || '
            'resource.name.extract("/clusters/{cluster}/") == "train"'
        ),
        "controller-group": ('resource.matchTag("123456789012/capacity-pools", "scaled")'),
    }
    notices = recording.one("subscriptionIAMMember:SubscriptionIAMMember").inputs
    assert (notices["subscription"], notices["role"]) == (
        "projects/acme-ml/subscriptions/sweep-interruptions",
        "controller-queue",
    )


def test_google_roles_that_would_be_bound_to_nothing_are_not_made(declare):
    recording = declare(
        "gcp", clusters=None, group_tag=None, notice_subscriptions=None, workload_identity=None
    )

    assert [each.name for each in recording.of("IAMCustomRole")] == ["controller-project"]
    granted = recording.one("IAMCustomRole").inputs["permissions"]
    bound = ("container.", "compute.", "pubsub.")
    changing = [name for name in granted if name.endswith((".update", ".consume"))]
    assert not [name for name in changing if name.startswith(bound)]


def test_a_pod_on_gke_acts_as_the_service_account(declare):
    member = declare("gcp").one("serviceaccount/iAMMember:IAMMember").inputs

    assert (member["role"], member["member"]) == (
        "roles/iam.workloadIdentityUser",
        "serviceAccount:acme-ml.svc.id.goog[tidegate/controller]",
    )


def test_names_on_google_cloud_are_the_stacks_own(declare):
    recording = declare("gcp")

    account = recording.one("serviceaccount/account:Account").inputs["accountId"]
    assert account == "tidegate-controller-test"
    assert len({each.inputs["roleId"] for each in recording.of("IAMCustomRole")}) == 4


def test_azure_roles_are_assigned_at_the_scopes_that_are_given(declare):
    recording = declare("azure")

    assigned = sorted(
        (each.inputs["roleDefinitionId"], each.inputs["scope"])
        for each in recording.of("RoleAssignment")
    )
    assert assigned == [
        ("controller-pool-id", "/subscriptions/s/pools/a"),
        ("controller-pool-id", "/subscriptions/s/pools/b"),
        ("controller-queue-id", "/subscriptions/s/queues/q"),
        ("controller-subscription-id", "/subscriptions/s"),
        ("controller-workspace-id", "/subscriptions/s/workspaces/w"),
    ]


def test_azure_roles_have_the_same_uuid_on_every_run_and_another_for_each_scope(declare):
    first = [each.inputs["roleDefinitionId"] for each in declare("azure").of("RoleDefinition")]
    again = [each.inputs["roleDefinitionId"] for each in declare("azure").of("RoleDefinition")]

    assert first == again
    assert len({uuid.UUID(each) for each in first}) == 4


def test_azure_makes_no_role_without_a_place_for_it(declare):
    recording = declare("azure", queue_scopes=None, workspace_scopes=[])

    names = [each.name for each in recording.of("RoleDefinition")]
    assert names == ["controller-subscription", "controller-pool"]


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_options_reach_the_children(declare, cloud):
    opts = pulumi.ResourceOptions(protect=True, ignore_changes=["description"])

    recording = declare(cloud, opts=opts)

    children = [each for each in recording.all if not each.type.startswith("tidegate:")]
    assert all(each.request.protect for each in children)
    role = {"aws": "iam/role:Role", "gcp": "IAMCustomRole", "azure": "RoleDefinition"}[cloud]
    assert all(each.ignored == ["description"] for each in recording.of(role))


@pytest.mark.parametrize("cloud", CLOUDS)
def test_the_callers_provider_and_aliases_reach_the_children(record, args, cloud):
    packages = {"aws": pulumi_aws, "gcp": pulumi_gcp, "azure": pulumi_azure_native}

    def program():
        provider = packages[cloud].Provider("elsewhere")
        aliases = [pulumi.Alias(name="old-name")]
        opts = pulumi.ResourceOptions(provider=provider, aliases=aliases)
        ControllerAccess("controller", args(cloud), opts)

    recording = record(program)

    component = recording.one("tidegate:index:ControllerAccess")
    assert "old-name" in str(component.request.aliases) + str(component.request.aliasURNs)
    own = [each for each in recording.all if not each.type.startswith(("tidegate:", "pulumi:"))]
    assert own
    assert all("elsewhere" in each.request.provider for each in own)


def test_on_kubernetes_an_identity_of_azure_trusts_one_service_account(declare):
    federation = {
        "identity_name": "controller",
        "resource_group_name": "ml",
        "issuer": "https://oidc.example/ml",
        "namespace": "tidegate",
        "service_account": "controller",
    }
    recording = declare("azure", federation=federation)

    assert recording.one("FederatedIdentityCredential").inputs == {
        "federatedIdentityCredentialResourceName": "controller-test",
        "resourceName": "controller",
        "resourceGroupName": "ml",
        "issuer": "https://oidc.example/ml",
        "subject": "system:serviceaccount:tidegate:controller",
        "audiences": ["api://AzureADTokenExchange"],
    }
    assert declare("azure").of("FederatedIdentityCredential") == []


def test_from_elsewhere_a_service_account_of_google_trusts_one_of_a_cluster(declare):
    pool = "projects/1/locations/global/workloadIdentityPools/clusters"
    federation = {"identity_pool": pool, "namespace": "tidegate", "service_account": "controller"}
    recording = declare("gcp", workload_identity=None, federation=federation)

    member = recording.one("serviceaccount/iAMMember:IAMMember").inputs
    assert member["role"] == "roles/iam.workloadIdentityUser"
    subject = "system:serviceaccount:tidegate:controller"
    assert member["member"] == f"principal://iam.googleapis.com/{pool}/subject/{subject}"
