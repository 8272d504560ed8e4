"""SageMaker through Pulumi and boto3: models, endpoints, their scaling, notebooks, studio."""

from __future__ import annotations

import base64

import pytest
from botocore.exceptions import ClientError

from tidegate.localclouds.refusals import CloudError

MODEL = "aws:sagemaker/model:Model"
CONFIGURATION = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
ENDPOINT = "aws:sagemaker/endpoint:Endpoint"
TARGET = "aws:appautoscaling/target:Target"
POLICY = "aws:appautoscaling/policy:Policy"
NOTEBOOK = "aws:sagemaker/notebookInstance:NotebookInstance"
SCRIPT = (
    "aws:sagemaker/notebookInstanceLifecycleConfiguration:NotebookInstanceLifecycleConfiguration"
)
DOMAIN = "aws:sagemaker/domain:Domain"
PROFILE = "aws:sagemaker/userProfile:UserProfile"
SPACE = "aws:sagemaker/space:Space"
IMAGE = "123456789012.dkr.ecr.us-east-1.amazonaws.com/serve:1"
NOBODY = "arn:aws:iam::123456789012:role/nobody"


@pytest.fixture(scope="module")
def sagemaker(boto):
    return boto("sagemaker")


@pytest.fixture(scope="module")
def model(aws, base):
    inputs = {"executionRoleArn": base.role, "primaryContainer": {"image": IMAGE}}
    return aws.up(MODEL, inputs, "served")


def variant(model, **changes):
    return {
        "variantName": "main",
        "modelName": model.id,
        "instanceType": "ml.g5.xlarge",
        "initialInstanceCount": 1,
        **changes,
    }


@pytest.fixture
def serve(aws, model):
    """Put an endpoint in service and return it."""

    def build(name, **changes):
        variants = {"productionVariants": [variant(model, **changes)]}
        configuration = aws.up(CONFIGURATION, variants, name)
        return aws.up(ENDPOINT, {"endpointConfigName": configuration.id, "name": name}, name)

    return build


def scale(endpoint, **changes):
    return {
        "serviceNamespace": "sagemaker",
        "resourceId": f"endpoint/{endpoint}/variant/main",
        "scalableDimension": "sagemaker:variant:DesiredInstanceCount",
        "minCapacity": 0,
        "maxCapacity": 4,
        **changes,
    }


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


def test_an_endpoint_takes_another_configuration_in_place(aws, model, serve, sagemaker):
    endpoint = serve("in-place")
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


def test_a_variant_scales_to_zero_and_the_endpoint_shows_no_drift(aws, serve, boto, sagemaker):
    endpoint = serve("to-zero")
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


def test_a_target_brings_its_variant_within_bounds(aws, serve, sagemaker):
    serve("bounds", initialInstanceCount=3)
    target = aws.up(TARGET, scale("bounds", maxCapacity=2), "bounds")

    def size():
        live = sagemaker.describe_endpoint(EndpointName="bounds")["ProductionVariants"][0]
        return live["DesiredInstanceCount"]

    assert size() == 2
    aws.change(TARGET, target, scale("bounds", minCapacity=4), "bounds")
    assert size() == 4


def test_a_scaling_policy_reads_back_whole_and_goes_with_its_target(aws, serve, boto):
    serve("policy")
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


def test_a_step_policy_keeps_its_bounds_as_they_were_written(aws, serve):
    serve("steps")
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


def encode(text):
    return base64.b64encode(text.encode()).decode()


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


@pytest.mark.parametrize(
    ("token", "inputs", "place", "words"),
    [
        (MODEL, {}, "executionRoleArn", "missing required property"),
        (
            MODEL,
            {"executionRoleArn": "r", "primaryContainer": {"mode": "Both"}},
            "primaryContainer.mode",
            "MultiModel",
        ),
        (CONFIGURATION, {}, "productionVariants", "missing required property"),
        (
            CONFIGURATION,
            {"productionVariants": [{"instanceType": "g5.xlarge"}]},
            "productionVariants[0].instanceType",
            "such as ml.g5.xlarge",
        ),
        (ENDPOINT, {}, "endpointConfigName", "missing required property"),
        (ENDPOINT, {"endpointConfigName": "c", "name": "a_b"}, "name", "does not match"),
        (NOTEBOOK, {"roleArn": "r"}, "instanceType", "missing required property"),
        (
            NOTEBOOK,
            {"roleArn": "r", "instanceType": "ml.t3.medium", "rootAccess": "On"},
            "rootAccess",
            "Disabled",
        ),
        (SCRIPT, {"name": "a_b"}, "name", "does not match"),
        (SCRIPT, {"onBoot": "x"}, "onBoot", "unknown property"),
        (DOMAIN, {"authMode": "IAM"}, "domainName", "missing required property"),
        (
            DOMAIN,
            {
                "authMode": "LDAP",
                "domainName": "d",
                "vpcId": "v",
                "subnetIds": ["s"],
                "defaultUserSettings": {"executionRole": "r"},
            },
            "authMode",
            "SSO",
        ),
        (PROFILE, {"domainId": "d"}, "userProfileName", "missing required property"),
        (
            PROFILE,
            {"domainId": "d", "userProfileName": "u", "singleSignOnUserIdentifier": "UserName"},
            "singleSignOnUserIdentifier",
            "requires singleSignOnUserValue",
        ),
        (SPACE, {"domainId": "d"}, "spaceName", "missing required property"),
        (
            SPACE,
            {"domainId": "d", "spaceName": "s", "spaceSettings": {"appType": "Emacs"}},
            "spaceSettings.appType",
            "JupyterLab",
        ),
        (TARGET, {"minCapacity": 0}, "maxCapacity", "missing required property"),
        (TARGET, scale("e", serviceNamespace="eks"), "serviceNamespace", "sagemaker"),
        (TARGET, scale("e", minCapacity=5), "minCapacity", "5 is above the maximum size 4"),
        (POLICY, {"resourceId": "r"}, "serviceNamespace", "missing required property"),
        (
            POLICY,
            {
                "resourceId": "r",
                "serviceNamespace": "sagemaker",
                "scalableDimension": "d",
                "policyType": "Guess",
            },
            "policyType",
            "TargetTrackingScaling",
        ),
    ],
)
def test_refuses_what_is_missing_or_out_of_range(aws, token, inputs, place, words):
    assert words in aws.refusals(token, inputs)[place]


def test_refuses_references_to_what_does_not_exist(aws, base, model, serve):
    serve("refers")
    missing = variant(model, modelName="no-model")
    policy = {k: v for k, v in scale("refers").items() if not k.endswith("Capacity")}
    notebook = {"instanceType": "ml.t3.medium", "roleArn": base.role}
    settings = {"executionRole": base.role}
    domain = {"authMode": "IAM", "domainName": "d", "vpcId": base.vpc, "subnetIds": base.subnets}
    cases = [
        (MODEL, {"executionRoleArn": NOBODY, "primaryContainer": {"image": IMAGE}}, "nobody"),
        (CONFIGURATION, {"productionVariants": [missing]}, 'model "no-model"'),
        (ENDPOINT, {"endpointConfigName": "no-config"}, 'configuration "no-config"'),
        (TARGET, scale("no-endpoint"), "variant does not exist"),
        (POLICY, {**policy, "stepScalingPolicyConfiguration": {}}, "No scalable target found"),
        (NOTEBOOK, {**notebook, "lifecycleConfigName": "no-script"}, "no-script"),
        (NOTEBOOK, {**notebook, "subnetId": "subnet-0"}, "subnet-0"),
        (
            DOMAIN,
            {**domain, "subnetIds": ["subnet-0"], "defaultUserSettings": settings},
            "subnet-0",
        ),
        (PROFILE, {"domainId": "d-none", "userProfileName": "u"}, "d-none"),
        (SPACE, {"domainId": "d-none", "spaceName": "s"}, "d-none"),
    ]
    for index, (token, inputs, words) in enumerate(cases):
        with pytest.raises(CloudError) as refused:
            aws.up(token, inputs, f"refers-{index}")
        assert words in str(refused.value)


@pytest.mark.parametrize(
    ("token", "old", "new", "replaced"),
    [
        (MODEL, {"executionRoleArn": "a"}, {"executionRoleArn": "b"}, {"executionRoleArn"}),
        (
            CONFIGURATION,
            {"productionVariants": [{"initialInstanceCount": 1}]},
            {"productionVariants": [{"initialInstanceCount": 2}]},
            {"productionVariants"},
        ),
        (ENDPOINT, {"endpointConfigName": "a"}, {"endpointConfigName": "b"}, set()),
        (ENDPOINT, {"name": "a"}, {"name": "b"}, {"name"}),
        (NOTEBOOK, {"instanceType": "a"}, {"instanceType": "b"}, set()),
        (NOTEBOOK, {"subnetId": "a"}, {"subnetId": "b"}, {"subnetId"}),
        (SCRIPT, {"onStart": "a"}, {"onStart": "b"}, set()),
        (DOMAIN, {"vpcId": "a"}, {"vpcId": "b"}, {"vpcId"}),
        (DOMAIN, {"subnetIds": ["a"]}, {"subnetIds": ["b"]}, set()),
        (PROFILE, {"domainId": "a"}, {"domainId": "b"}, {"domainId"}),
        (SPACE, {"spaceDisplayName": "a"}, {"spaceDisplayName": "b"}, set()),
        (SPACE, {"spaceName": "a"}, {"spaceName": "b"}, {"spaceName"}),
        (TARGET, {"minCapacity": 0}, {"minCapacity": 1}, set()),
        (TARGET, {"resourceId": "a"}, {"resourceId": "b"}, {"resourceId"}),
        (POLICY, {"policyType": "a"}, {"policyType": "b"}, set()),
        (POLICY, {"name": "a"}, {"name": "b"}, {"name"}),
    ],
)
def test_replaces_where_sagemaker_cannot_change(aws, token, old, new, replaced):
    assert aws.find(token, "r").diff("id", old, new).replaces == replaced
