"""Whom the clouds see: tokens of the pods' service account, exchanged at each cloud.

The pods get a token of their own for each cloud, meant for it alone, as the clouds' webhooks would
inject it; so no webhook is needed, and a cluster of one cloud may act on another. On GKE, and with
EKS' Pod Identity, the node's metadata service or agent hands credentials out instead.
"""

from __future__ import annotations

import json
from typing import Any

import pulumi

from tidegate.manifest.model import Pool
from tidegate.vocabulary.capacity import Cloud, Scaler
from tidegate_components.arguments import Arguments
from tidegate_components.controller import args as shapes
from tidegate_components.controller.spec import ControllerSpec
from tidegate_components.deferred import apply_known
from tidegate_components.token_audiences import AWS_AUDIENCE, AZURE_AUDIENCE

TOKENS = "/var/run/secrets/tidegate"
CREDENTIALS_FILE = "google-credentials.json"
CONFIGURATION = "/etc/tidegate"
TOKEN_SECONDS = 3600
AUDIENCES = {Cloud.AWS: AWS_AUDIENCE, Cloud.AZURE: AZURE_AUDIENCE}
SHAPES: dict[Cloud, Any] = {
    Cloud.AWS: shapes.ControllerAwsArgs,
    Cloud.GCP: shapes.ControllerGcpArgs,
    Cloud.AZURE: shapes.ControllerAzureArgs,
}
REQUIRED: dict[Cloud, tuple[str, ...]] = {
    Cloud.AWS: (),
    Cloud.GCP: ("service_account",),
    Cloud.AZURE: ("client_id", "tenant_id"),
}
ABROAD = {Cloud.AWS: "role_arn", Cloud.GCP: "identity_provider"}
"""What is needed besides, unless the controller runs in a cluster of that very cloud."""


def read_identities(
    read: Arguments, home: Cloud, pools: list[Pool]
) -> tuple[frozenset[Cloud], bool]:
    """Return the clouds whose identity is stated, and whether AWS' is got by a token."""
    given = {cloud: read.nested(cloud.value, SHAPES[cloud]) for cloud in Cloud}
    for cloud, own in given.items():
        if own is None:
            _require_identity(read, cloud, pools)
    aws = given[Cloud.AWS]
    is_federated = aws is not None and (home is not Cloud.AWS or aws.input("role_arn") is not None)
    return frozenset(cloud for cloud, own in given.items() if own is not None), is_federated


def list_required(spec: ControllerSpec) -> list[tuple[Cloud, str]]:
    """Return the Inputs that the clouds' identities need."""
    return [
        (cloud, key)
        for cloud in Cloud
        if cloud in spec.identities
        for key in (
            *REQUIRED[cloud],
            *((ABROAD[cloud],) if cloud in ABROAD and cloud is not spec.cloud else ()),
        )
    ]


def _require_identity(read: Arguments, cloud: Cloud, pools: list[Pool]) -> None:
    resized = [pool.id for pool in pools if (pool.cloud, pool.scaler) == (cloud, Scaler.TIDEGATE)]
    if resized:
        reason = f"is missing: nobody could resize {', '.join(sorted(resized))}"
        read.refuse(cloud.value, None, reason, "the identity of a ControllerAccess")


def build_annotations(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, Any]:
    """Return the annotations of the service account: what GKE's metadata service goes by."""
    if Cloud.GCP in spec.identities and not inputs["gcp"].get("identity_provider"):
        return {"iam.gke.io/gcp-service-account": inputs["gcp"]["service_account"]}
    return {}


def build_environment(spec: ControllerSpec, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the variables by which the clouds' own SDKs find the tokens."""
    found: dict[str, Any] = {}
    if spec.is_federated:
        found["AWS_ROLE_ARN"] = inputs["aws"]["role_arn"]
        found["AWS_WEB_IDENTITY_TOKEN_FILE"] = f"{TOKENS}/{Cloud.AWS.value}"
        found["AWS_ROLE_SESSION_NAME"] = spec.id
    if Cloud.AZURE in spec.identities:
        found["AZURE_CLIENT_ID"] = inputs["azure"]["client_id"]
        found["AZURE_TENANT_ID"] = inputs["azure"]["tenant_id"]
        found["AZURE_FEDERATED_TOKEN_FILE"] = f"{TOKENS}/{Cloud.AZURE.value}"
        found["AZURE_AUTHORITY_HOST"] = "https://login.microsoftonline.com/"
    if _is_google_abroad(spec, inputs):
        found["GOOGLE_APPLICATION_CREDENTIALS"] = f"{CONFIGURATION}/{CREDENTIALS_FILE}"
    return [{"name": name, "value": value} for name, value in found.items()]


def build_tokens(spec: ControllerSpec, inputs: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the sources of a projected volume: one token for each cloud that takes one."""
    audiences: dict[Cloud, Any] = {
        cloud: audience
        for cloud, audience in AUDIENCES.items()
        if cloud in spec.identities and (cloud is not Cloud.AWS or spec.is_federated)
    }
    if _is_google_abroad(spec, inputs):
        audiences[Cloud.GCP] = apply_known(_name_audience, inputs["gcp"]["identity_provider"])
    return [
        {
            "serviceAccountToken": {
                "audience": audience,
                "expirationSeconds": TOKEN_SECONDS,
                "path": cloud.value,
            }
        }
        for cloud, audience in audiences.items()
    ]


def build_credentials(spec: ControllerSpec, inputs: dict[str, Any]) -> dict[str, pulumi.Input[str]]:
    """Return the file by which Google's SDKs exchange a token of elsewhere; it holds no secret."""
    if not _is_google_abroad(spec, inputs):
        return {}
    own = inputs["gcp"]
    return {
        CREDENTIALS_FILE: apply_known(
            render_credentials, own["identity_provider"], own["service_account"]
        )
    }


def render_credentials(provider: str, email: str) -> str:
    """Return a credential configuration of type `external_account` (Google's AIP-4117)."""
    account = f"projects/-/serviceAccounts/{email}"
    document = {
        "type": "external_account",
        "audience": _name_audience(provider),
        "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
        "token_url": "https://sts.googleapis.com/v1/token",
        "service_account_impersonation_url": (
            f"https://iamcredentials.googleapis.com/v1/{account}:generateAccessToken"
        ),
        "credential_source": {"file": f"{TOKENS}/{Cloud.GCP.value}", "format": {"type": "text"}},
    }
    return json.dumps(document, indent=2)


def _is_google_abroad(spec: ControllerSpec, inputs: dict[str, Any]) -> bool:
    return Cloud.GCP in spec.identities and bool(inputs["gcp"].get("identity_provider"))


def _name_audience(provider: str) -> str:
    return f"//iam.googleapis.com/{provider}"
