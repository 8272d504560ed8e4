"""Arguments of inference capacity, one for each target, and of what is committed."""

from __future__ import annotations

from typing import Any

ROLE = "arn:aws:iam::123456789012:role/serve"
SAGEMAKER: dict[str, Any] = {
    "execution_role_arn": ROLE,
    "instance_type": "ml.g5.12xlarge",
    "inference_component_name": "chat-llama",
    "invocations_per_minute": 60,
}
VARIANT: dict[str, Any] = {
    "model_name": "llama",
    "instance_type": "ml.g5.12xlarge",
    "invocations_per_minute": 60,
}
KUBERNETES: dict[str, Any] = {
    "image": "registry.example/serve:1",
    "namespace": "serving",
    "accelerator": "l4",
    "trigger": {
        "type": "prometheus",
        "metadata": {"serverAddress": "http://prometheus", "query": "q", "threshold": "5"},
    },
}
PLACES: dict[str, dict[str, Any]] = {
    "sagemaker": {"cloud": "aws", "region": "us-east-1", "sagemaker": SAGEMAKER},
    "vertex": {
        "cloud": "gcp",
        "region": "us-central1",
        "min_replicas": 1,
        "vertex": {"machine_type": "g2-standard-48"},
        "gcp": {"project": "acme-ml"},
    },
    "azure_ml": {
        "cloud": "azure",
        "region": "eastus",
        "min_replicas": 1,
        "azure_ml": {
            "workspace_name": "lab",
            "model_id": "azureml://registries/acme/models/llama/versions/1",
            "instance_type": "Standard_NC24ads_A100_v4",
        },
        "azure": {"resource_group_name": "ml"},
    },
    "kubernetes": {
        "cloud": "gcp",
        "region": "us-central1",
        "pool": "serve-l4",
        "kubernetes": KUBERNETES,
    },
}
AGREED = {"hourly_amount": "12", "currency": "USD", "end_date": "2028-01-04"}
RESERVED: dict[str, Any] = {
    "id": "serve-floor",
    "zone": "us-central1-a",
    "instance_type": "g2-standard-48",
    "units": 2,
    "acknowledge": AGREED,
}
PLAN: dict[str, Any] = {
    "kind": "savings-plan",
    "acknowledge": {**AGREED, "hourly_amount": "2.5"},
    "purchase": {
        "offering_id": "offering-1",
        "purchase_time": "2027-01-04T09:00:00Z",
        "term_months": 12,
        "covers": ["sagemaker"],
    },
}
