"""Whom the clouds see, from a cluster of each cloud."""

from __future__ import annotations

import json

import pulumi
import pytest
from support.in_cluster import IDENTITIES, build_manifest

CLOUDS = ("aws", "gcp", "azure")
KUBECONFIG = {"name": "clusters", "key": "kubeconfig"}
TOKENS = "/var/run/secrets/tidegate"
AUDIENCES = {
    "aws": "sts.amazonaws.com",
    "gcp": f"//iam.googleapis.com/{IDENTITIES['gcp']['identity_provider']}",
    "azure": "api://AzureADTokenExchange",
}
VARIABLES = {
    "aws": {
        "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/controller",
        "AWS_WEB_IDENTITY_TOKEN_FILE": f"{TOKENS}/aws",
        "AWS_ROLE_SESSION_NAME": "controller",
    },
    "gcp": {"GOOGLE_APPLICATION_CREDENTIALS": "/etc/tidegate/google-credentials.json"},
    "azure": {
        "AZURE_CLIENT_ID": "client-1",
        "AZURE_TENANT_ID": "tenant-1",
        "AZURE_FEDERATED_TOKEN_FILE": f"{TOKENS}/azure",
        "AZURE_AUTHORITY_HOST": "https://login.microsoftonline.com/",
    },
}


def read(recording):
    """Return the variables of clouds, the tokens by audience, and the account's annotations."""
    pod = recording.one(":Deployment").inputs["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    told = {each["name"]: each.get("value") for each in container["env"]}
    projected = [each["projected"]["sources"] for each in pod["volumes"] if "projected" in each]
    tokens = [each["serviceAccountToken"] for found in projected for each in found]
    account = recording.one(":ServiceAccount").inputs["metadata"]
    return (
        {name: told[name] for name in told if name.startswith(("AWS", "AZURE", "GOOGLE"))},
        {each["path"]: each["audience"] for each in tokens},
        account.get("annotations", {}),
    )


@pytest.mark.parametrize("home", ["aws", "azure"])
def test_the_clouds_of_its_own_cluster_take_a_token_that_is_for_them_alone(declare, home):
    recording = declare(home)

    assert read(recording) == (VARIABLES[home], {home: AUDIENCES[home]}, {})
    pod = recording.one(":Deployment").inputs["spec"]["template"]["spec"]
    mounts = pod["containers"][0]["volumeMounts"]
    assert {"name": "tokens", "mountPath": TOKENS, "readOnly": True} in mounts


def test_on_gke_the_metadata_service_goes_by_the_annotation(declare):
    recording = declare("gcp")

    email = IDENTITIES["gcp"]["service_account"]
    assert read(recording) == ({}, {}, {"iam.gke.io/gcp-service-account": email})
    egress = recording.one(":NetworkPolicy").inputs["spec"]["egress"]
    assert [each["to"][0]["ipBlock"]["cidr"] for each in egress if "to" in each] == [
        "169.254.169.254/32",
        "169.254.169.252/32",
    ]


def test_on_eks_pod_identity_hands_the_role_out_by_its_agent(declare):
    recording = declare("aws", aws={})

    assert read(recording) == ({}, {}, {})
    egress = recording.one(":NetworkPolicy").inputs["spec"]["egress"]
    assert [each["to"][0]["ipBlock"]["cidr"] for each in egress if "to" in each] == [
        "169.254.170.23/32"
    ]


@pytest.mark.parametrize("home", CLOUDS)
def test_from_each_cloud_it_acts_on_all_three(declare, home):
    order = (home, *(cloud for cloud in CLOUDS if cloud != home))
    recording = declare(home, capacity=build_manifest(*order), kubeconfig=KUBECONFIG, **IDENTITIES)

    variables = {name: value for own in VARIABLES.values() for name, value in own.items()}
    assert read(recording) == (variables, AUDIENCES, {})
    credentials = json.loads(recording.one(":ConfigMap").inputs["data"]["google-credentials.json"])
    assert credentials == {
        "type": "external_account",
        "audience": AUDIENCES["gcp"],
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url": (
            "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
            "controller@acme-ml.iam.gserviceaccount.com:generateAccessToken"
        ),
        "credential_source": {"file": f"{TOKENS}/gcp", "format": {"type": "text"}},
    }


def test_googles_own_library_takes_the_credentials_file(declare):
    from google.auth import identity_pool

    recording = declare(
        "aws", capacity=build_manifest("aws", "gcp"), kubeconfig=KUBECONFIG, gcp=IDENTITIES["gcp"]
    )
    text = recording.one(":ConfigMap").inputs["data"]["google-credentials.json"]

    found = identity_pool.Credentials.from_info(json.loads(text))
    assert found.service_account_email == IDENTITIES["gcp"]["service_account"]


def test_identities_may_be_outputs(declare):
    role = pulumi.Output.from_input(IDENTITIES["aws"]["role_arn"])

    assert read(declare("aws", aws={"role_arn": role}))[0] == VARIABLES["aws"]
