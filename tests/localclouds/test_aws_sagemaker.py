"""SageMaker through Pulumi and boto3: models, endpoints, their scaling, notebooks, studio."""

from __future__ import annotations

import pytest
from botocore.exceptions import ClientError
from support.aws_sagemaker import (
    CONFIGURATION,
    DOMAIN,
    ENDPOINT,
    IMAGE,
    MODEL,
    NOTEBOOK,
    POLICY,
    PROFILE,
    SCRIPT,
    SPACE,
    TARGET,
    encode,
    scale,
    variant,
)

from tidegate.localclouds.refusals import CloudError


def tags_of(sagemaker, made):
    found = sagemaker.list_tags(ResourceArn=made.outputs["arn"])["Tags"]
    return {tag["Key"]: tag["Value"] for tag in found}


def test_a_model_reads_back_whole(aws, base, sagemaker):
    group = aws.up("aws:ec2/securityGroup:SecurityGroup", {"vpcId": base.vpc}, "model").id
    inputs = {
        "executionRoleArn": base.role,
        "primaryContainer": {
            "image": IMAGE,
            "mode": "SingleModel",
            "environment": {"WORKERS": "2"},
            "modelDataSource": {
                "s3DataSources": [
                    {
                        "s3Uri": "s3://models/a/",
                        "s3DataType": "S3Prefix",
                        "compressionType": "None",
                    }
                ]
            },
        },
        "vpcConfig": {"subnets": base.subnets, "securityGroupIds": [group]},
        "enableNetworkIsolation": True,
        "tags": {"team": "ml"},
    }
    made = aws.up(MODEL, inputs, "whole")

    live = sagemaker.describe_model(ModelName=made.id)

    assert live["ModelArn"] == made.outputs["arn"]
    assert live["PrimaryContainer"] == {
        "Image": IMAGE,
        "Mode": "SingleModel",
        "Environment": {"WORKERS": "2"},
        "ModelDataSource": {
            "S3DataSource": {
                "S3Uri": "s3://models/a/",
                "S3DataType": "S3Prefix",
                "CompressionType": "None",
            }
        },
    }
    assert live["ExecutionRoleArn"] == base.role
    assert live["EnableNetworkIsolation"] is True
    assert tags_of(sagemaker, made) == {"team": "ml"}
    assert aws.refresh(MODEL, made, "whole") == made.inputs
    aws.destroy(MODEL, made, "whole")
    with pytest.raises(ClientError, match="Could not find model"):
        sagemaker.describe_model(ModelName=made.id)
    assert aws.refresh(MODEL, made, "whole") is None


def test_an_endpoint_configuration_reads_back_whole(aws, model, sagemaker):
    inputs = {
        "productionVariants": [
            variant(
                model,
                initialVariantWeight=0.5,
                managedInstanceScaling={
                    "status": "ENABLED",
                    "minInstanceCount": 0,
                    "maxInstanceCount": 4,
                },
                routingConfigs=[{"routingStrategy": "LEAST_OUTSTANDING_REQUESTS"}],
                volumeSizeInGb=100,
            )
        ],
        "asyncInferenceConfig": {"outputConfig": {"s3OutputPath": "s3://out/"}},
        "tags": {"team": "ml"},
    }
    made = aws.up(CONFIGURATION, inputs, "whole")

    live = sagemaker.describe_endpoint_config(EndpointConfigName=made.id)

    assert live["ProductionVariants"] == [
        {
            "VariantName": "main",
            "ModelName": model.id,
            "InitialInstanceCount": 1,
            "InstanceType": "ml.g5.xlarge",
            "InitialVariantWeight": 0.5,
            "VolumeSizeInGB": 100,
            "ManagedInstanceScaling": {
                "Status": "ENABLED",
                "MinInstanceCount": 0,
                "MaxInstanceCount": 4,
            },
            "RoutingConfig": {"RoutingStrategy": "LEAST_OUTSTANDING_REQUESTS"},
        }
    ]
    assert live["AsyncInferenceConfig"] == {"OutputConfig": {"S3OutputPath": "s3://out/"}}
    assert tags_of(sagemaker, made) == {"team": "ml"}
    assert aws.refresh(CONFIGURATION, made, "whole") == made.inputs


def test_an_endpoint_takes_another_configuration_in_place(aws, model, serve_model, sagemaker):
    endpoint = serve_model("in-place")
    larger = [variant(model, instanceType="ml.g5.12xlarge", initialInstanceCount=2)]
    other = aws.up(CONFIGURATION, {"productionVariants": larger}, "larger")
    inputs = {"endpointConfigName": other.id, "name": "in-place", "tags": {"team": "ml"}}

    difference = aws.diff(ENDPOINT, endpoint, inputs, "in-place")
    changed = aws.change(ENDPOINT, endpoint, inputs, "in-place")
    live = sagemaker.describe_endpoint(EndpointName="in-place")

    assert difference.replaces == set()
    assert live["EndpointConfigName"] == other.id
    assert live["EndpointStatus"] == "InService"
    assert live["ProductionVariants"][0]["DesiredInstanceCount"] == 2
    assert tags_of(sagemaker, changed) == {"team": "ml"}
    assert aws.refresh(ENDPOINT, changed, "in-place") == changed.inputs
    aws.destroy(ENDPOINT, changed, "in-place")
    assert [
        e["EndpointName"] for e in sagemaker.list_endpoints(NameContains="in-p")["Endpoints"]
    ] == []


def test_an_asynchronous_variant_scales_to_zero_and_the_endpoint_shows_no_drift(
    aws, model, boto, sagemaker
):
    waiting = {"outputConfig": {"s3OutputPath": "s3://answers/to-zero"}}
    inputs = {"productionVariants": [variant(model)], "asyncInferenceConfig": waiting}
    configuration = aws.up(CONFIGURATION, inputs, "to-zero")
    named = {"endpointConfigName": configuration.id, "name": "to-zero"}
    endpoint = aws.up(ENDPOINT, named, "to-zero")
    target = aws.up(TARGET, scale("to-zero", tags={"team": "ml"}), "to-zero")
    scaling = boto("application-autoscaling")

    sagemaker.update_endpoint_weights_and_capacities(
        EndpointName="to-zero",
        DesiredWeightsAndCapacities=[{"VariantName": "main", "DesiredInstanceCount": 0}],
    )
    found = scaling.describe_scalable_targets(
        ServiceNamespace="sagemaker", ResourceIds=["endpoint/to-zero/variant/main"]
    )["ScalableTargets"][0]
    live = sagemaker.describe_endpoint(EndpointName="to-zero")["ProductionVariants"][0]
    tags = scaling.list_tags_for_resource(ResourceARN=found["ScalableTargetARN"])["Tags"]

    assert (found["MinCapacity"], found["MaxCapacity"]) == (0, 4)
    assert (live["CurrentInstanceCount"], live["DesiredInstanceCount"]) == (0, 0)
    assert tags == {"team": "ml"}
    assert aws.refresh(TARGET, target, "to-zero") == target.inputs
    assert aws.refresh(ENDPOINT, endpoint, "to-zero") == endpoint.inputs


def test_a_target_brings_its_variant_within_bounds(aws, serve_model, sagemaker):
    serve_model("bounds", initialInstanceCount=3)
    target = aws.up(TARGET, scale("bounds", maxCapacity=2), "bounds")

    def size():
        live = sagemaker.describe_endpoint(EndpointName="bounds")["ProductionVariants"][0]
        return live["DesiredInstanceCount"]

    assert size() == 2
    aws.change(TARGET, target, scale("bounds", minCapacity=4), "bounds")
    assert size() == 4


def test_a_scaling_policy_reads_back_whole_and_goes_with_its_target(aws, serve_model, boto):
    serve_model("policy")
    target = aws.up(TARGET, scale("policy"), "policy")
    named = {name: target.inputs[name] for name in ("serviceNamespace", "resourceId")}
    inputs = {
        **named,
        "scalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "policyType": "TargetTrackingScaling",
        "targetTrackingScalingPolicyConfiguration": {
            "targetValue": 5,
            "scaleInCooldown": 300,
            "scaleOutCooldown": 0,
            "customizedMetricSpecification": {
                "metricName": "ApproximateBacklogSizePerInstance",
                "namespace": "AWS/SageMaker",
                "statistic": "Average",
                "dimensions": [{"name": "EndpointName", "value": "policy"}],
            },
        },
    }
    made = aws.up(POLICY, inputs, "policy")
    scaling = boto("application-autoscaling")

    def look():
        found = scaling.describe_scaling_policies(
            ServiceNamespace="sagemaker", ResourceId="endpoint/policy/variant/main"
        )
        return found["ScalingPolicies"]

    live = look()[0]
    assert live["PolicyName"] == made.inputs["name"]
    assert live["TargetTrackingScalingPolicyConfiguration"] == {
        "TargetValue": 5.0,
        "ScaleInCooldown": 300,
        "ScaleOutCooldown": 0,
        "CustomizedMetricSpecification": {
            "MetricName": "ApproximateBacklogSizePerInstance",
            "Namespace": "AWS/SageMaker",
            "Statistic": "Average",
            "Dimensions": [{"Name": "EndpointName", "Value": "policy"}],
        },
    }
    assert aws.refresh(POLICY, made, "policy") == made.inputs
    aws.destroy(TARGET, target, "policy")
    assert look() == []
    aws.destroy(POLICY, made, "policy")


def test_a_step_policy_keeps_its_bounds_as_they_were_written(aws, serve_model):
    serve_model("steps")
    aws.up(TARGET, scale("steps"), "steps")
    inputs = {
        **{k: v for k, v in scale("steps").items() if not k.endswith("Capacity")},
        "stepScalingPolicyConfiguration": {
            "adjustmentType": "ExactCapacity",
            "cooldown": 60,
            "metricAggregationType": "Maximum",
            "stepAdjustments": [{"metricIntervalLowerBound": "0", "scalingAdjustment": 1}],
        },
    }

    made = aws.up(POLICY, inputs, "steps")

    assert aws.refresh(POLICY, made, "steps") == made.inputs


def test_a_notebook_instance_changes_while_it_is_stopped(aws, base, sagemaker):
    script = aws.up(SCRIPT, {"onStart": encode("idle stop")}, "notebook")
    inputs = {
        "name": "notes",
        "instanceType": "ml.t3.medium",
        "roleArn": base.role,
        "subnetId": base.subnets[0],
        "lifecycleConfigName": script.id,
        "directInternetAccess": "Disabled",
        "rootAccess": "Disabled",
        "volumeSize": 20,
        "instanceMetadataServiceConfiguration": {"minimumInstanceMetadataServiceVersion": "2"},
        "tags": {"team": "ml"},
    }
    made = aws.up(NOTEBOOK, inputs, "notes")
    live = sagemaker.describe_notebook_instance(NotebookInstanceName="notes")

    assert live["NotebookInstanceLifecycleConfigName"] == script.id
    assert (live["VolumeSizeInGB"], live["RootAccess"]) == (20, "Disabled")
    assert live["NetworkInterfaceId"] == made.outputs["networkInterfaceId"]
    assert tags_of(sagemaker, made) == {"team": "ml"}
    assert aws.refresh(NOTEBOOK, made, "notes") == made.inputs
    with pytest.raises(ClientError, match="is used by notebook instances: notes"):
        sagemaker.delete_notebook_instance_lifecycle_config(
            NotebookInstanceLifecycleConfigName=script.id
        )
    bare = {key: value for key, value in inputs.items() if key != "lifecycleConfigName"}
    changed = aws.change(NOTEBOOK, made, {**bare, "instanceType": "ml.g5.xlarge"}, "notes")
    live = sagemaker.describe_notebook_instance(NotebookInstanceName="notes")
    assert live["InstanceType"] == "ml.g5.xlarge"
    assert live["NotebookInstanceStatus"] == "InService"
    assert "NotebookInstanceLifecycleConfigName" not in live
    aws.destroy(NOTEBOOK, changed, "notes")
    assert aws.refresh(NOTEBOOK, changed, "notes") is None


def test_a_stopped_notebook_instance_stays_stopped_when_it_changes(aws, base, sagemaker):
    inputs = {"name": "asleep", "instanceType": "ml.t3.medium", "roleArn": base.role}
    made = aws.up(NOTEBOOK, inputs, "asleep")
    sagemaker.stop_notebook_instance(NotebookInstanceName="asleep")

    aws.change(NOTEBOOK, made, {**inputs, "volumeSize": 50}, "asleep")

    live = sagemaker.describe_notebook_instance(NotebookInstanceName="asleep")
    assert (live["VolumeSizeInGB"], live["NotebookInstanceStatus"]) == (50, "Stopped")


def test_scripts_of_notebooks_read_back_and_change(aws, sagemaker):
    made = aws.up(SCRIPT, {"onCreate": encode("a"), "onStart": encode("b")}, "scripts")
    key = {"NotebookInstanceLifecycleConfigName": made.id}

    live = sagemaker.describe_notebook_instance_lifecycle_config(**key)
    assert live["OnCreate"] == [{"Content": encode("a")}]
    assert aws.refresh(SCRIPT, made, "scripts") == made.inputs
    changed = aws.change(SCRIPT, made, {"onStart": encode("c")}, "scripts")
    live = sagemaker.describe_notebook_instance_lifecycle_config(**key)
    assert (live["OnCreate"], live["OnStart"]) == ([], [{"Content": encode("c")}])
    assert aws.refresh(SCRIPT, changed, "scripts") == changed.inputs


def test_a_studio_reads_back_whole_and_goes_from_the_inside(aws, base, sagemaker):
    idle = {
        "appLifecycleManagement": {
            "idleSettings": {"lifecycleManagement": "ENABLED", "idleTimeoutInMinutes": 60}
        }
    }
    domain_inputs = {
        "domainName": "studio",
        "authMode": "IAM",
        "vpcId": base.vpc,
        "subnetIds": base.subnets,
        "defaultUserSettings": {"executionRole": base.role, "jupyterLabAppSettings": idle},
        "appNetworkAccessType": "VpcOnly",
        "tags": {"team": "ml"},
    }
    domain = aws.up(DOMAIN, domain_inputs, "studio")
    profile = aws.up(
        PROFILE,
        {
            "domainId": domain.id,
            "userProfileName": "ada",
            "userSettings": {"executionRole": base.role, "jupyterLabAppSettings": idle},
            "tags": {"team": "ml"},
        },
        "ada",
    )
    space = aws.up(
        SPACE,
        {
            "domainId": domain.id,
            "spaceName": "lab",
            "ownershipSettings": {"ownerUserProfileName": "ada"},
            "spaceSharingSettings": {"sharingType": "Private"},
            "spaceSettings": {
                "appType": "JupyterLab",
                "spaceStorageSettings": {"ebsStorageSettings": {"ebsVolumeSizeInGb": 20}},
            },
        },
        "lab",
    )

    live = sagemaker.describe_domain(DomainId=domain.id)
    user = sagemaker.describe_user_profile(DomainId=domain.id, UserProfileName="ada")
    room = sagemaker.describe_space(DomainId=domain.id, SpaceName="lab")

    settings = live["DefaultUserSettings"]["JupyterLabAppSettings"]["AppLifecycleManagement"]
    assert settings["IdleSettings"] == {
        "LifecycleManagement": "ENABLED",
        "IdleTimeoutInMinutes": 60,
    }
    assert live["Url"] == domain.outputs["url"]
    assert user["UserSettings"]["ExecutionRole"] == base.role
    assert user["UserProfileArn"] == profile.outputs["arn"]
    storage = room["SpaceSettings"]["SpaceStorageSettings"]["EbsStorageSettings"]
    assert storage == {"EbsVolumeSizeInGb": 20}
    assert room["OwnershipSettings"] == {"OwnerUserProfileName": "ada"}
    assert tags_of(sagemaker, domain) == tags_of(sagemaker, profile) == {"team": "ml"}
    for token, made, name in ((DOMAIN, domain, "studio"), (PROFILE, profile, "ada")):
        assert aws.refresh(token, made, name) == made.inputs
    assert aws.refresh(SPACE, space, "lab") == space.inputs
    with pytest.raises(CloudError, match=r"space\(s\) associated: lab"):
        aws.destroy(DOMAIN, domain, "studio")
    for token, made, name in ((SPACE, space, "lab"), (PROFILE, profile, "ada")):
        aws.destroy(token, made, name)
    aws.destroy(DOMAIN, domain, "studio")
    assert sagemaker.list_domains()["Domains"] == []
