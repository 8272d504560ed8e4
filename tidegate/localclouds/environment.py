"""The environment of a run against the local clouds: real credentials out, fakes in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tidegate.localclouds.endpoints import Endpoints

# Whatever could reach or pay for a real cloud goes; these families hold credentials and endpoints.
CREDENTIAL_PREFIXES = (
    *("AWS_", "GOOGLE_", "GCLOUD_", "CLOUDSDK_", "ARM_", "AZURE_", "GCP_"),
    *("KUBE", "PULUMI_K8S_"),
)
KEPT = frozenset({"AWS_REGION", "AWS_DEFAULT_REGION", "GOOGLE_PROJECT", "GOOGLE_REGION"})
NOWHERE = "/dev/null"
KUBECONFIG_FILE = "kubeconfig"
"""In the state directory; `tidegate local kubeconfig` writes it."""
ZERO_GUID = "00000000-0000-0000-0000-000000000000"
ACCOUNT_ID = "123456789012"  # moto's account
PROJECT = "tidegate-local"


def drop_credentials(base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without anything by which a cloud's SDK could find a real account."""
    return {
        name: value
        for name, value in base.items()
        if name in KEPT or not name.startswith(CREDENTIAL_PREFIXES)
    }


def fake_credentials() -> dict[str, str]:
    """Return credentials that no cloud accepts, and the SDKs' other sources switched off."""
    return {
        "AWS_ACCESS_KEY_ID": "tidegate-local",
        "AWS_SECRET_ACCESS_KEY": "tidegate-local",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_CONFIG_FILE": NOWHERE,
        "AWS_SHARED_CREDENTIALS_FILE": NOWHERE,
        "GOOGLE_APPLICATION_CREDENTIALS": NOWHERE,
        "CLOUDSDK_CONFIG": NOWHERE,
        "NO_GCE_CHECK": "true",
        "ARM_SUBSCRIPTION_ID": ZERO_GUID,
        "ARM_TENANT_ID": ZERO_GUID,
        "AZURE_CONFIG_DIR": NOWHERE,
        "KUBECONFIG": NOWHERE,
    }


def local_environment(endpoints: Endpoints, base: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a hand-run `pulumi` or cloud SDK against the local clouds."""
    kept = drop_credentials(base)
    providers = ",".join(f"{name}:{port}" for name, port in endpoints.provider_ports.items())
    return {
        "AWS_REGION": "us-east-1",
        "GOOGLE_PROJECT": PROJECT,
        **kept,
        **fake_credentials(),
        "AWS_ENDPOINT_URL": endpoints.aws_url,
        "PULUMI_DEBUG_PROVIDERS": providers,
        "TIDEGATE_LOCAL": "1",
        "TIDEGATE_LOCAL_AWS_URL": endpoints.aws_url,
        "TIDEGATE_LOCAL_GCP_URL": endpoints.gcp_url,
        "TIDEGATE_LOCAL_AZURE_URL": endpoints.azure_url,
        "TIDEGATE_LOCAL_KUBERNETES_URL": endpoints.kubernetes_url,
        "KUBECONFIG": str(Path(endpoints.state_dir) / KUBECONFIG_FILE),
    }
