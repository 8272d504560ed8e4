from __future__ import annotations

import pulumi
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.served import AGREED, KUBERNETES, PLACES, PLAN, RESERVED, SAGEMAKER, VARIANT
from tidegate_components import InferenceCapacity
from tidegate_components.inference_capacity.parse import parse_endpoint

from tidegate.vocabulary.problems import InvalidInput


@pytest.fixture
def args(labels):
    def build(target, **changes):
        shared = {"model": "llama", "max_replicas": 4, "labels": labels}
        merged = {**shared, **PLACES[target], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.mark.parametrize(
    ("target", "changes", "start"),
    [
        (
            "kubernetes",
            {"service_level": "chat-p99", "cold_start_budget_seconds": 60, "load_seconds": 240},
            (
                "endpoint chat: min_replicas = 0: takes 300 s to boot and 240 s to load, 540 s in "
                "all, and the service level chat-p99 allows 60 s from nothing; expected at least "
                "1, or a cold_start_budget_seconds of 540"
            ),
        ),
        (
            "kubernetes",
            {"cold_start_budget_seconds": 600},
            "endpoint chat: load_seconds: is needed: whether the cold start keeps to its budget",
        ),
        (
            "vertex",
            {"min_replicas": 0},
            (
                "endpoint chat: min_replicas = 0: is not possible on Vertex: "
                "dedicatedResources.minReplicaCount is at least 1 (Vertex AI API reference, v1); "
                "expected at least 1; a Kubernetes Deployment (`kubernetes`) goes to zero"
            ),
        ),
        (
            "azure_ml",
            {"min_replicas": 0},
            "endpoint chat: min_replicas = 0: is not possible on Azure Machine Learning: a managed",
        ),
        (
            "sagemaker",
            {"sagemaker": VARIANT},
            "endpoint chat: min_replicas = 0: is not possible for a variant with a model of its",
        ),
        (
            "sagemaker",
            {"sagemaker": {**SAGEMAKER, "model_name": "llama"}},
            "endpoint chat: sagemaker.inference_component_name: excludes `model_name`",
        ),
        (
            "sagemaker",
            {"sagemaker": {**SAGEMAKER, "invocations_per_minute": None}},
            "endpoint chat: sagemaker.invocations_per_minute: is needed: nothing says when",
        ),
        (
            "sagemaker",
            {"sagemaker": {**SAGEMAKER, "instance_type": "g5.xlarge"}},
            (
                "endpoint chat: sagemaker.instance_type = 'g5.xlarge': is no SageMaker instance "
                "type; expected one such as ml.g5.xlarge"
            ),
        ),
        (
            "sagemaker",
            {"sagemaker": {**SAGEMAKER, "async_output_s3_uri": "s3://a/b"}},
            "endpoint chat: sagemaker.async_output_s3_uri: needs `model_name`",
        ),
        (
            "sagemaker",
            {"min_replicas": 5},
            "endpoint chat: min_replicas = 5: is above max_replicas 4; expected at most 4",
        ),
        (
            "sagemaker",
            {"pool": "serve-l4"},
            "endpoint chat: pool = 'serve-l4': serves no sagemaker endpoint, which has machines",
        ),
        (
            "sagemaker",
            {"cloud": "gcp", "region": "us-central1"},
            "endpoint chat: sagemaker: is a target of aws, and the endpoint is in gcp",
        ),
        (
            "sagemaker",
            {"sagemaker": None},
            (
                "endpoint chat: nothing says what scales; expected exactly one of sagemaker, "
                "vertex, azure_ml, kubernetes"
            ),
        ),
        (
            "vertex",
            {"commitment": {**RESERVED, "acknowledge": AGREED}},
            (
                "endpoint chat: commitment.kind = 'capacity-reservation': holds machines that a "
                "vertex endpoint does not consume"
            ),
        ),
        (
            "vertex",
            {"vertex": {"machine_type": "n1-standard-8", "accelerator": "t4"}},
            (
                "endpoint chat: vertex.accelerators_per_replica: is not what a n1-standard-8 has "
                "of t4; expected one of 1, 2, 4"
            ),
        ),
        (
            "vertex",
            {"vertex": {"machine_type": "ct5lp-hightpu-1t"}},
            "endpoint chat: vertex.machine_type = 'ct5lp-hightpu-1t': is a TPU machine, of which",
        ),
        (
            "azure_ml",
            {"azure_ml": {**PLACES["azure_ml"]["azure_ml"], "auth_mode": "Token"}},
            "endpoint chat: azure_ml.auth_mode = 'Token': is no authentication of an online",
        ),
        (
            "kubernetes",
            {"pool": None},
            "endpoint chat: pool: is needed: a Deployment has no machines of its own",
        ),
        (
            "kubernetes",
            {"elastic_pool": "serve-l4"},
            "endpoint chat: elastic_pool = 'serve-l4': is the pool whose excess it should take",
        ),
        (
            "kubernetes",
            {"kubernetes": {**KUBERNETES, "trigger": {"type": "cpu", "metadata": {}}}},
            (
                "endpoint chat: kubernetes.trigger.type = 'cpu': sees no demand while no replica "
                "runs (keda.sh/docs, scalers)"
            ),
        ),
        (
            "kubernetes",
            {
                "kubernetes": {
                    **KUBERNETES,
                    "trigger": {"type": "gcp-pubsub", "metadata": {"value": "5"}},
                }
            },
            "endpoint chat: kubernetes.trigger.metadata.subscriptionName: is needed by KEDA's",
        ),
        (
            "kubernetes",
            {"kubernetes": {**KUBERNETES, "trigger": {"type": "azure-queue", "metadata": {}}}},
            "endpoint chat: kubernetes.trigger.metadata.queueName: is needed by KEDA's",
        ),
        (
            "azure_ml",
            {
                "region": "australiaeast",
                "azure_ml": {
                    **PLACES["azure_ml"]["azure_ml"],
                    "instance_type": "Standard_NC128ds_xl_RTXPRO6000BSE_v6",
                },
            },
            (
                "endpoint chat: azure_ml.instance_type = 'Standard_NC128ds_xl_RTXPRO6000BSE_v6': "
                "is not sold in australiaeast"
            ),
        ),
        (
            "vertex",
            {"idle_action": "shrink"},
            "endpoint chat: idle_action = 'shrink': says what is done when idle, and nothing says",
        ),
        (
            "vertex",
            {"idle_shutdown_seconds": 3600, "idle_action": "delete"},
            "endpoint chat: idle_action = 'delete': is nothing that is done when idle; expected",
        ),
        (
            "vertex",
            {"idle_shutdown_seconds": 60},
            "endpoint chat: idle_shutdown_seconds = 60:",
        ),
        (
            "sagemaker",
            {"idle_shutdown_seconds": 3600, "idle_action": "remove"},
            "endpoint chat: idle_action = 'remove': is not possible on SageMaker",
        ),
        (
            "kubernetes",
            {"idle_shutdown_seconds": 3600},
            "endpoint chat: idle_shutdown_seconds = 3600: is KEDA's to decide for a Deployment",
        ),
        (
            "kubernetes",
            {"kubernetes": {**KUBERNETES, "memory": "lots"}},
            "endpoint chat: kubernetes.memory = 'lots': is no quantity of Kubernetes",
        ),
        (
            "kubernetes",
            {"commitment": {**RESERVED, "acknowledge": None}},
            "endpoint chat: commitment.acknowledge: is required: a reservation is paid for",
        ),
        (
            "sagemaker",
            {"commitment": {**PLAN, "acknowledge": {**AGREED, "end_date": "2027-12-31"}}},
            (
                "endpoint chat: commitment.acknowledge.end_date = '2027-12-31': is before the "
                "term of 12 months ends, on 2028-01-04"
            ),
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_limit(args, catalog, target, changes, start):
    with pytest.raises(InvalidInput) as caught:
        parse_endpoint("chat", args(target, **changes), catalog)

    (line,) = str(caught.value).splitlines()
    assert line.startswith(start)


def test_an_output_in_the_manifest_is_refused_before_anything_is_registered(record, args, catalog):
    caught = []

    def program():
        given = args("sagemaker", model=pulumi.Output.from_input("llama"))
        with pytest.raises(InvalidInput) as error:
            InferenceCapacity("chat", given, None, catalog)
        caught.append(str(error.value))

    assert record(program).all == []
    assert "model: is an Output, but enters the capacity manifest" in caught[0]


def test_inputs_that_are_missing_are_named_together(record, args, catalog):
    caught = []

    def program():
        given = args("azure_ml", azure=None, azure_ml={"instance_type": "Standard_NC24ads_A100_v4"})
        with pytest.raises(InvalidInput) as error:
            InferenceCapacity("chat", given, None, catalog)
        caught.append(sorted(problem.property for problem in error.value.problems))

    assert record(program).all == []
    assert caught == [["azure.resource_group_name", "azure_ml.model_id", "azure_ml.workspace_name"]]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    boot=st.integers(0, 2000),
    load=st.integers(0, 2000),
    budget=st.integers(1, 4000),
    low=st.integers(0, 2),
)
def test_a_service_level_forbids_zero_exactly_when_a_cold_start_exceeds_it(
    args, catalog, boot, load, budget, low
):
    times = {"boot_seconds": boot, "load_seconds": load, "cold_start_budget_seconds": budget}
    raw = args("kubernetes", min_replicas=low, **times)

    try:
        parse_endpoint("chat", raw, catalog)
    except InvalidInput as error:
        refused = [problem.property for problem in error.problems] == ["min_replicas"]
    else:
        refused = False

    assert refused == (low == 0 and boot + load > budget)
