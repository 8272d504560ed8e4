"""SageMaker: what is refused, what replaces."""

from __future__ import annotations

import pytest
from support.aws_sagemaker import (
    CONFIGURATION,
    DOMAIN,
    ENDPOINT,
    IMAGE,
    MODEL,
    NOBODY,
    NOTEBOOK,
    POLICY,
    PROFILE,
    SCRIPT,
    SPACE,
    TARGET,
    scale,
    variant,
)

from tidegate.localclouds.refusals import CloudError


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


def test_refuses_references_to_what_does_not_exist(aws, base, model, serve_model):
    serve_model("refers")
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
