from __future__ import annotations

import pulumi
import pytest
from support.served import KUBERNETES, PLACES, PLAN, RESERVED, SAGEMAKER, VARIANT
from tidegate_components import InferenceCapacity

MADE = {
    "sagemaker": [
        "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
        "aws:sagemaker/endpoint:Endpoint",
        "aws:appautoscaling/target:Target",
        "aws:appautoscaling/policy:Policy",
        "aws:appautoscaling/policy:Policy",
        "aws:cloudwatch/metricAlarm:MetricAlarm",
    ],
    "vertex": [
        "gcp:vertex/aiEndpoint:AiEndpoint",
        "gcp:vertex/aiDeploymentResourcePool:AiDeploymentResourcePool",
    ],
    "azure_ml": [
        "azure-native:machinelearningservices:OnlineEndpoint",
        "azure-native:machinelearningservices:OnlineDeployment",
        "azure-native:monitor:AutoscaleSetting",
    ],
    "kubernetes": [
        "kubernetes:apps/v1:Deployment",
        "kubernetes:keda.sh/v1alpha1:ScaledObject",
    ],
}
UNTAGGED = ("Policy", "AiDeploymentResourcePool")


@pytest.fixture
def args(labels):
    def build(target, **changes):
        shared = {"model": "llama", "max_replicas": 4, "labels": labels}
        merged = {**shared, **PLACES[target], **changes}
        return {key: value for key, value in merged.items() if value is not None}

    return build


@pytest.fixture
def declare(record, args, catalog):
    def run(target, opts=None, **changes):
        return record(lambda: InferenceCapacity("chat", args(target, **changes), opts, catalog))

    return run


def resources(recording):
    return [each for each in recording.all if not each.type.startswith("tidegate:")]


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({}, (None, None)),
        ({"idle_shutdown_seconds": 3600}, (3600, "shrink")),
        ({"idle_shutdown_seconds": 3600, "idle_action": "remove"}, (3600, "remove")),
    ],
)
def test_the_manifest_says_what_is_done_with_an_idle_endpoint(declare, changes, told):
    (endpoint,) = declare("azure_ml", **changes).outputs["chat"]["capacity"]["endpoints"]

    assert (endpoint.get("idleShutdownSeconds"), endpoint.get("idleAction")) == told


@pytest.mark.parametrize("target", sorted(PLACES))
def test_each_target_declares_what_scales(declare, target):
    assert sorted(each.type for each in resources(declare(target))) == sorted(MADE[target])


@pytest.mark.parametrize("target", sorted(PLACES))
def test_cost_labels_are_stamped_wherever_a_resource_takes_them(declare, labels, target):
    pool = "serve-l4" if target == "kubernetes" else "chat"
    stamped = {**labels, "managed-by": "tidegate", "capacity-pool": pool}
    for each in resources(declare(target)):
        if each.type.endswith(UNTAGGED):
            continue
        inputs = each.inputs
        found = inputs.get("tags") or inputs.get("labels") or inputs["metadata"]["labels"]
        assert found == stamped, each.type


@pytest.mark.parametrize(
    ("target", "kind", "low", "identifiers"),
    [
        (
            "sagemaker",
            "sagemaker-inference-component",
            0,
            {"inferenceComponent": "chat-llama", "variant": "main"},
        ),
        ("vertex", "vertex-resource-pool", 1, {}),
        ("azure_ml", "azure-ml-deployment", 1, {"workspace": "lab", "deployment": "main"}),
        (
            "kubernetes",
            "kubernetes-deployment",
            0,
            {"namespace": "serving", "deployment": "chat"},
        ),
    ],
)
def test_the_manifest_says_what_scales_and_how_far(declare, target, kind, low, identifiers):
    recording = declare(target, load_seconds=60, account="acme")
    (endpoint,) = recording.outputs["chat"]["capacity"]["endpoints"]

    assert (endpoint["kind"], endpoint["minReplicas"], endpoint["maxReplicas"]) == (kind, low, 4)
    assert endpoint["target"] == identifiers
    assert endpoint["coldStartSeconds"] == 360
    assert (endpoint["model"], endpoint["account"]) == ("llama", "acme")


def test_a_first_request_wakes_an_endpoint_without_instances(declare):
    recording = declare("sagemaker")
    alarm = recording.one("MetricAlarm").inputs
    steps = sorted(each.inputs["policyType"] for each in recording.of("policy:Policy"))

    assert alarm["metricName"] == "NoCapacityInvocationFailures"
    assert alarm["dimensions"] == {"InferenceComponentName": "chat-llama"}
    assert steps == ["StepScaling", "TargetTrackingScaling"]


def test_inference_components_let_instances_go_to_zero(declare):
    recording = declare("sagemaker")
    (variant,) = recording.one("EndpointConfiguration").inputs["productionVariants"]
    target = recording.one("target:Target").inputs

    assert variant["managedInstanceScaling"] == {
        "status": "ENABLED",
        "minInstanceCount": 0,
        "maxInstanceCount": 4,
    }
    assert "modelName" not in variant
    assert variant["initialInstanceCount"] == 1
    assert target["resourceId"] == "inference-component/chat-llama"
    assert target["scalableDimension"] == "sagemaker:inference-component:DesiredCopyCount"
    assert target["minCapacity"] == 0


def test_an_endpoint_waits_for_its_inference_component(declare):
    given = {key: SAGEMAKER[key] for key in ("execution_role_arn", "instance_type")}

    found = resources(declare("sagemaker", sagemaker=given))

    assert sorted(each.type for each in found) == sorted(MADE["sagemaker"][:2])


def test_a_variant_with_a_model_scales_by_instances_from_one(declare):
    recording = declare("sagemaker", sagemaker=VARIANT, min_replicas=1)
    target = recording.one("target:Target").inputs

    assert target["resourceId"] == "endpoint/chat/variant/main"
    assert target["scalableDimension"] == "sagemaker:variant:DesiredInstanceCount"
    assert recording.of("MetricAlarm") == []


def test_an_asynchronous_variant_goes_to_zero_and_wakes_on_its_backlog(declare):
    given = {**VARIANT, "async_output_s3_uri": "s3://acme-answers/chat"}
    recording = declare("sagemaker", sagemaker=given)

    assert recording.one("target:Target").inputs["minCapacity"] == 0
    assert recording.one("MetricAlarm").inputs["metricName"] == "HasBacklogWithoutCapacity"
    assert recording.one("EndpointConfiguration").inputs["asyncInferenceConfig"] == {
        "outputConfig": {"s3OutputPath": "s3://acme-answers/chat"}
    }


def test_an_endpoint_that_exists_is_not_made_again(declare):
    given = {"endpoint_name": "served", "invocations_per_minute": 60}
    recording = declare("sagemaker", sagemaker=given, min_replicas=1)

    assert sorted(each.type for each in resources(recording)) == sorted(MADE["sagemaker"][2:4])
    assert recording.one("target:Target").inputs["resourceId"] == "endpoint/served/variant/main"


def test_vertex_is_told_the_accelerators_that_a_machine_carries(declare):
    recording = declare("vertex")
    pool = recording.one("AiDeploymentResourcePool").inputs["dedicatedResources"]

    assert pool["machineSpec"] == {
        "machineType": "g2-standard-48",
        "acceleratorType": "NVIDIA_L4",
        "acceleratorCount": 4,
    }
    assert (pool["minReplicaCount"], pool["maxReplicaCount"]) == (1, 4)
    assert len(pool["autoscalingMetricSpecs"]) == 2


def test_a_vertex_endpoints_name_is_a_number_of_ten_digits(declare):
    name = declare("vertex").one("AiEndpoint").inputs["name"]

    assert name.isdigit()
    assert (len(name), name[0] != "0") == (10, True)


def test_autoscaling_owns_the_instances_of_an_azure_deployment(declare):
    recording = declare("azure_ml")
    deployment = recording.one("OnlineDeployment")

    assert deployment.ignored == ["sku.capacity"]
    assert deployment.inputs["sku"] == {"name": "Default", "capacity": 1}
    assert deployment.inputs["properties"] == {
        "endpointComputeType": "Managed",
        "model": "azureml://registries/acme/models/llama/versions/1",
        "instanceType": "Standard_NC24ads_A100_v4",
        "scaleSettings": {"scaleType": "Default"},
    }
    assert recording.one("OnlineEndpoint").ignored == ["properties.traffic", "endpointName"]
    (profile,) = recording.one("AutoscaleSetting").inputs["profiles"]
    assert profile["capacity"] == {"minimum": "1", "maximum": "4", "default": "1"}
    assert [rule["scaleAction"]["direction"] for rule in profile["rules"]] == [
        "Increase",
        "Decrease",
    ]
    metrics = {rule["metricTrigger"]["metricName"] for rule in profile["rules"]}
    assert metrics == {"GpuUtilizationPercentage"}


def test_keda_owns_the_replicas_of_a_deployment(declare):
    recording = declare("kubernetes")
    deployment = recording.one("Deployment")
    scaled = recording.one("ScaledObject").inputs["spec"]

    assert deployment.ignored == ["spec.replicas"]
    assert deployment.inputs["spec"]["replicas"] == 0
    assert (scaled["minReplicaCount"], scaled["maxReplicaCount"]) == (0, 4)
    assert scaled["scaleTargetRef"] == {"name": "chat"}
    assert scaled["triggers"] == [KUBERNETES["trigger"]]


def test_replicas_run_on_the_named_pool_alone(declare):
    pod = declare("kubernetes").one("Deployment").inputs["spec"]["template"]["spec"]

    assert pod["nodeSelector"] == {"capacity-pool": "serve-l4"}
    assert pod["tolerations"] == [
        {"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}
    ]
    (container,) = pod["containers"]
    assert container["resources"]["limits"] == {"memory": "4Gi", "nvidia.com/gpu": "1"}


def test_replicas_prefer_what_is_paid_for_already(declare):
    recording = declare("kubernetes", elastic_pool="burst-l4")
    pod = recording.one("Deployment").inputs["spec"]["template"]["spec"]
    affinity = pod["affinity"]["nodeAffinity"]

    (term,) = affinity["requiredDuringSchedulingIgnoredDuringExecution"]["nodeSelectorTerms"]
    assert term["matchExpressions"][0]["values"] == ["serve-l4", "burst-l4"]
    (first,) = affinity["preferredDuringSchedulingIgnoredDuringExecution"]
    assert first["preference"]["matchExpressions"][0]["values"] == ["serve-l4"]
    assert "nodeSelector" not in pod


def test_the_committed_base_is_protected_kept_and_known_to_the_manifest(declare):
    recording = declare("kubernetes", commitment=RESERVED)
    reservation = recording.one("compute/reservation:Reservation")
    capacity = recording.outputs["chat"]["capacity"]

    assert reservation.request.protect
    assert reservation.request.retainOnDelete
    assert [each["id"] for each in capacity["commitments"]] == ["serve-floor"]
    assert capacity["endpoints"][0]["commitment"] == "serve-floor"
    assert recording.outputs["chat"]["reservation_target"] == "serve-floor"
    assert sorted(recording.outputs["chat"]["bindings"]) == ["chat", "serve-floor"]


def test_only_the_commitment_is_protected(declare):
    recording = declare("sagemaker", commitment=PLAN)

    protected = {each.type for each in recording.all if each.request.protect}
    assert protected == {"aws:savingsplans/savingsPlan:SavingsPlan"}


def test_the_callers_options_reach_the_children_they_concern(declare):
    opts = pulumi.ResourceOptions(
        ignore_changes=["tags", "minCapacity"], aliases=[pulumi.Alias(name="talk")]
    )
    recording = declare("sagemaker", opts)

    assert recording.one("target:Target").ignored == ["tags", "minCapacity"]
    assert recording.one("endpoint:Endpoint").ignored == ["tags"]
