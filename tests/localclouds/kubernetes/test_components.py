"""What components declare in a cluster, made by the local Kubernetes: valid, whole, no drift."""

from __future__ import annotations

import pytest
from kubernetes import client
from support.in_cluster import build_args
from support.local_monitor import open_program
from support.served import PLACES
from tidegate_components import Controller, GpuNodePool, InferenceCapacity

LABELS = {
    "environment": "prod",
    "owner": "ml-platform",
    "business-unit": "research",
    "platform-project": "vision",
    "workload-class": "training",
    "cost-center": "cc-1001",
}


@pytest.fixture
def declare(engine):
    with open_program(engine, "kubernetes") as run:
        yield run


def reasons(engine, made, token):
    """Return the conditions of the one object of a type, as they are now."""
    ((name, one),) = made[token]
    found = engine.find(token, name).behaviour
    record = engine.find(token, name)._find_record(one.id)
    status = found.read(record, engine.find(token, name).call)["status"]
    return {each["type"]: each["status"] for each in status["conditions"]}


@pytest.mark.parametrize("capacity_type", ["spot", "on-demand"])
def test_a_pool_that_karpenter_fills(engine, declare, capacity_type):
    made = declare(
        lambda: GpuNodePool(
            "train-h100",
            {
                "cloud": "aws",
                "region": "us-east-2",
                "zones": ["us-east-2a"],
                "cluster": "ml",
                "accelerator": "h100-80gb",
                "instance_types": ["p5.48xlarge"],
                "capacity_type": capacity_type,
                "max_nodes": 4,
                "priority": 10,
                "scaler": "karpenter",
                "labels": LABELS,
                "windows": [{"cron": "0 22 * * *", "time_zone": "UTC", "duration_seconds": 14400}],
                "aws": {
                    "node_role_arn": "arn:aws:iam::1:role/team/node",
                    "subnet_ids": ["subnet-1", "subnet-2"],
                    "security_group_ids": ["sg-1"],
                },
            },
        )
    )

    pool, node_class = (
        "kubernetes:karpenter.sh/v1:NodePool",
        "kubernetes:karpenter.k8s.aws/v1:EC2NodeClass",
    )
    assert set(made) == {pool, node_class}
    assert reasons(engine, made, pool)["Ready"] == "True"


def test_a_served_model_that_keda_scales(engine, declare, body):
    engine.up("Namespace", body("Namespace", metadata__name="serving"), "serving")
    args = {"model": "llama", "max_replicas": 4, "labels": LABELS, **PLACES["kubernetes"]}

    made = declare(lambda: InferenceCapacity("chat", args))

    scaled = "kubernetes:keda.sh/v1alpha1:ScaledObject"
    assert set(made) == {"kubernetes:apps/v1:Deployment", scaled}
    assert reasons(engine, made, scaled) == {"Ready": "True"}


@pytest.mark.parametrize("replicas", [1, 2])
def test_the_controller_with_its_rights(engine, declare, api, replicas):
    database = {"database": {"name": "controller", "key": "database"}} if replicas > 1 else {}
    monitoring = {"namespace": "metrics", "kind": "pod-monitor"}
    args = build_args(replicas=replicas, monitoring=monitoring, **database)

    made = declare(lambda: Controller("controller", args))

    state = "policy/v1:PodDisruptionBudget" if replicas > 1 else "core/v1:PersistentVolumeClaim"
    assert {token.removeprefix("kubernetes:") for token in made} == {
        "core/v1:Namespace",
        "core/v1:ResourceQuota",
        "core/v1:ServiceAccount",
        "rbac.authorization.k8s.io/v1:ClusterRole",
        "rbac.authorization.k8s.io/v1:ClusterRoleBinding",
        "core/v1:ConfigMap",
        "networking.k8s.io/v1:NetworkPolicy",
        "apps/v1:Deployment",
        "core/v1:Service",
        "monitoring.coreos.com/v1:PodMonitor",
        state,
    }
    assert reasons(engine, made, "kubernetes:apps/v1:Deployment")["Available"] == "True"
    found = client.AppsV1Api(api).read_namespaced_deployment("controller", "tidegate").spec
    (container,) = found.template.spec.containers
    assert (found.replicas, container.readiness_probe.http_get.path) == (replicas, "/readyz")
    data = client.CoreV1Api(api).read_namespaced_config_map("controller", "tidegate").data
    assert set(data) == {"outputs.json", "sources.yaml"}
