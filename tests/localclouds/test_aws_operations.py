"""Notices, access, cost alarms and snapshots on AWS: declared, and read back through boto3."""

from __future__ import annotations

import json

import pytest
from botocore.exceptions import ClientError
from support.aws_operations import (
    ACCOUNT,
    ALARM,
    CLUSTER,
    COST_TAG,
    ENTRY,
    INTERRUPTED,
    MONITOR,
    POD_IDENTITY,
    PROFILE,
    QUEUE,
    QUEUE_POLICY,
    RULE,
    SNAPSHOTS,
    SUBSCRIPTION,
    TARGET,
    TOPIC,
    TOPIC_POLICY,
    TRUST,
    alarm,
    allow,
    snapshots,
    tags_of,
)

from tidegate.localclouds.refusals import CloudError


def test_a_rule_and_its_target_read_back_whole(aws, boto):
    queue = aws.up(QUEUE, {}, "notices")
    rule_inputs = {
        "eventPattern": INTERRUPTED,
        "description": "spot",
        "state": "ENABLED",
        "tags": {"team": "ml"},
    }
    rule = aws.up(RULE, rule_inputs, "spot")
    target_inputs = {
        "rule": rule.id,
        "arn": queue.outputs["arn"],
        "deadLetterConfig": {"arn": queue.outputs["arn"]},
        "retryPolicy": {"maximumEventAgeInSeconds": 60, "maximumRetryAttempts": 0},
        "inputTransformer": {
            "inputPaths": {"id": "$.detail.instance-id"},
            "inputTemplate": '{"id": <id>}',
        },
    }
    target = aws.up(TARGET, target_inputs, "spot")
    events = boto("events")

    live = events.describe_rule(Name=rule.id)
    found = events.list_targets_by_rule(Rule=rule.id)["Targets"]
    tags = events.list_tags_for_resource(ResourceARN=live["Arn"])["Tags"]

    assert live["Arn"] == rule.outputs["arn"]
    assert json.loads(live["EventPattern"]) == json.loads(INTERRUPTED)
    assert (live["Description"], live["State"]) == ("spot", "ENABLED")
    assert tags_of(tags) == {"team": "ml"}
    assert found == [
        {
            "Id": target.inputs["targetId"],
            "Arn": queue.outputs["arn"],
            "DeadLetterConfig": {"Arn": queue.outputs["arn"]},
            "RetryPolicy": {"MaximumEventAgeInSeconds": 60, "MaximumRetryAttempts": 0},
            "InputTransformer": {
                "InputPathsMap": {"id": "$.detail.instance-id"},
                "InputTemplate": '{"id": <id>}',
            },
        }
    ]
    assert aws.refresh(RULE, rule, "spot") == rule.inputs
    assert aws.refresh(TARGET, target, "spot") == target.inputs
    with pytest.raises(CloudError, match="has targets"):
        aws.destroy(RULE, rule, "spot")
    changed = aws.change(RULE, rule, {**rule_inputs, "state": "DISABLED", "tags": {}}, "spot")
    assert events.describe_rule(Name=rule.id)["State"] == "DISABLED"
    assert len(events.list_targets_by_rule(Rule=rule.id)["Targets"]) == 1
    aws.destroy(TARGET, target, "spot")
    aws.destroy(RULE, changed, "spot")
    assert aws.refresh(RULE, changed, "spot") is None


def test_a_queue_policy_reads_back_and_its_deletion_leaves_the_queue(aws, boto):
    queue = aws.up(QUEUE, {}, "policed")
    policy = allow("sqs:SendMessage", queue.outputs["arn"])
    made = aws.up(QUEUE_POLICY, {"queueUrl": queue.id, "policy": policy}, "policed")

    def look():
        url = boto("sqs").get_queue_url(QueueName=queue.outputs["name"])["QueueUrl"]
        found = boto("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        return found["Attributes"].get("Policy")

    assert json.loads(look()) == json.loads(policy)
    assert aws.refresh(QUEUE_POLICY, made, "policed") == made.inputs
    assert aws.refresh(QUEUE, queue, "policed") == queue.inputs
    aws.destroy(QUEUE_POLICY, made, "policed")
    assert not look()
    assert aws.refresh(QUEUE_POLICY, made, "policed") is None


def test_a_topic_and_its_policy_read_back_whole(aws, boto):
    inputs = {
        "displayName": "Cost",
        "tracingConfig": "Active",
        "signatureVersion": 2,
        "tags": {"team": "ml"},
    }
    made = aws.up(TOPIC, inputs, "cost")
    policy = allow("SNS:Publish", made.id)
    policed = aws.up(TOPIC_POLICY, {"arn": made.id, "policy": policy}, "cost")
    sns = boto("sns")

    def look():
        return sns.get_topic_attributes(TopicArn=made.id)["Attributes"]

    assert look()["DisplayName"] == "Cost"
    assert (look()["TracingConfig"], look()["SignatureVersion"]) == ("Active", "2")
    assert json.loads(look()["Policy"]) == json.loads(policy)
    assert tags_of(sns.list_tags_for_resource(ResourceArn=made.id)["Tags"]) == {"team": "ml"}
    assert aws.refresh(TOPIC, made, "cost") == made.inputs
    assert aws.refresh(TOPIC_POLICY, policed, "cost") == policed.inputs
    changed = aws.change(TOPIC, made, {"displayName": "Money"}, "cost")
    assert look()["DisplayName"] == "Money"
    assert "TracingConfig" not in look()
    aws.destroy(TOPIC_POLICY, policed, "cost")
    assert json.loads(look()["Policy"])["Statement"][0]["Principal"] == {"AWS": "*"}
    aws.destroy(TOPIC, changed, "cost")
    assert aws.refresh(TOPIC, changed, "cost") is None


def test_an_instance_profile_exchanges_its_role_in_place(aws, boto):
    roles = [aws.up("aws:iam/role:Role", {"assumeRolePolicy": TRUST}, f"node-{n}").id for n in "ab"]
    inputs = {"role": roles[0], "path": "/ml/", "tags": {"team": "ml"}}
    made = aws.up(PROFILE, inputs, "nodes")

    def look():
        found = boto("iam").get_instance_profile(InstanceProfileName=made.id)
        return found["InstanceProfile"]

    assert look()["Arn"] == made.outputs["arn"]
    assert look()["Path"] == "/ml/"
    assert [role["RoleName"] for role in look()["Roles"]] == roles[:1]
    assert tags_of(look()["Tags"]) == {"team": "ml"}
    assert aws.refresh(PROFILE, made, "nodes") == made.inputs
    changed = aws.change(PROFILE, made, {**inputs, "role": roles[1]}, "nodes")
    assert [role["RoleName"] for role in look()["Roles"]] == roles[1:]
    aws.destroy(PROFILE, changed, "nodes")
    assert aws.refresh(PROFILE, changed, "nodes") is None


def test_an_access_entry_reads_back_whole_and_goes_with_its_cluster(aws, base, boto):
    cluster_inputs = {
        "roleArn": base.role,
        "vpcConfig": {"subnetIds": base.subnets},
        "accessConfig": {"authenticationMode": "API_AND_CONFIG_MAP"},
    }
    cluster = aws.up(CLUSTER, cluster_inputs, "entries")
    inputs = {
        "clusterName": cluster.id,
        "principalArn": base.role,
        "kubernetesGroups": ["trainers"],
        "userName": "trainer",
        "tags": {"team": "ml"},
    }
    made = aws.up(ENTRY, inputs, "trainer")
    eks = boto("eks")

    live = eks.describe_access_entry(clusterName=cluster.id, principalArn=base.role)["accessEntry"]

    assert live["accessEntryArn"] == made.outputs["accessEntryArn"]
    assert (live["type"], live["username"]) == ("STANDARD", "trainer")
    assert live["kubernetesGroups"] == ["trainers"]
    assert live["tags"] == {"team": "ml"}
    assert eks.list_access_entries(clusterName=cluster.id)["accessEntries"] == [base.role]
    assert aws.refresh(ENTRY, made, "trainer") == made.inputs
    changed = aws.change(ENTRY, made, {**inputs, "kubernetesGroups": [], "tags": {}}, "trainer")
    live = eks.describe_access_entry(clusterName=cluster.id, principalArn=base.role)["accessEntry"]
    assert (live["kubernetesGroups"], live["tags"]) == ([], {})
    aws.destroy(CLUSTER, cluster, "entries")
    assert aws.refresh(ENTRY, changed, "trainer") is None


def test_nodes_enter_under_the_name_that_their_kind_has(aws, base, entered):
    role = aws.up("aws:iam/role:Role", {"assumeRolePolicy": TRUST}, "karpenter-nodes")
    inputs = {
        "clusterName": entered,
        "principalArn": role.outputs["arn"],
        "type": "EC2_LINUX",
    }

    made = aws.up(ENTRY, inputs, "nodes")

    assert made.outputs["userName"] == "system:node:{{EC2PrivateDNSName}}"
    assert aws.refresh(ENTRY, made, "nodes") == made.inputs


def test_an_anomaly_monitors_specification_may_state_the_parts_that_it_lacks(aws, boto):
    stated = {"And": None, "Or": None, "Tags": {"Key": "user:owner", "Values": ["ml"]}}
    inputs = {"monitorType": "CUSTOM", "monitorSpecification": json.dumps(stated)}

    made = aws.up(MONITOR, inputs, "nulls")

    live = boto("ce").get_anomaly_monitors(MonitorArnList=[made.id])["AnomalyMonitors"][0]
    assert live["MonitorSpecification"] == {"Tags": stated["Tags"]}
    assert aws.refresh(MONITOR, made, "nulls") == made.inputs


def test_the_role_of_a_managed_node_group_has_entered_already(aws, base, entered):
    role = aws.up("aws:iam/role:Role", {"assumeRolePolicy": TRUST}, "managed").outputs["arn"]
    inputs = {
        "clusterName": entered,
        "nodeRoleArn": role,
        "subnetIds": base.subnets,
        "scalingConfig": {"minSize": 0, "maxSize": 1, "desiredSize": 0},
    }
    aws.up("aws:eks/nodeGroup:NodeGroup", inputs, "managed")

    with pytest.raises(CloudError, match="already in use on this cluster"):
        aws.up(ENTRY, {"clusterName": entered, "principalArn": role}, "managed")


def test_an_anomaly_monitor_and_its_subscription_read_back_whole(aws, boto, topic):
    watched = {"Tags": {"Key": "cost-center", "Values": ["ml"], "MatchOptions": ["EQUALS"]}}
    monitor = aws.up(
        MONITOR,
        {
            "monitorType": "CUSTOM",
            "monitorSpecification": json.dumps(watched),
            "tags": {"team": "ml"},
        },
        "ml",
    )
    inputs = {
        "frequency": "IMMEDIATE",
        "monitorArnLists": [monitor.id],
        "subscribers": [{"type": "SNS", "address": topic.id}],
        "thresholdExpression": {
            "ands": [
                {
                    "dimension": {
                        "key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
                        "matchOptions": ["GREATER_THAN_OR_EQUAL"],
                        "values": ["100"],
                    }
                }
            ]
        },
        "tags": {"team": "ml"},
    }
    subscription = aws.up(SUBSCRIPTION, inputs, "ml")
    ce = boto("ce")

    live = ce.get_anomaly_monitors(MonitorArnList=[monitor.id])["AnomalyMonitors"][0]
    found = ce.get_anomaly_subscriptions(MonitorArn=monitor.id)["AnomalySubscriptions"]
    tags = ce.list_tags_for_resource(ResourceArn=monitor.id)["ResourceTags"]

    assert live["MonitorSpecification"] == watched
    assert live["MonitorName"] == monitor.inputs["name"]
    assert tags_of(tags) == {"team": "ml"}
    assert [part["SubscriptionArn"] for part in found] == [subscription.id]
    assert found[0]["Subscribers"] == [{"Type": "SNS", "Address": topic.id, "Status": "CONFIRMED"}]
    assert found[0]["ThresholdExpression"] == {
        "And": [
            {
                "Dimensions": {
                    "Key": "ANOMALY_TOTAL_IMPACT_ABSOLUTE",
                    "MatchOptions": ["GREATER_THAN_OR_EQUAL"],
                    "Values": ["100"],
                }
            }
        ]
    }
    assert aws.refresh(MONITOR, monitor, "ml") == monitor.inputs
    assert aws.refresh(SUBSCRIPTION, subscription, "ml") == subscription.inputs
    daily = {
        **inputs,
        "frequency": "DAILY",
        "subscribers": [{"type": "EMAIL", "address": "ml@example.com"}],
    }
    changed = aws.change(SUBSCRIPTION, subscription, daily, "ml")
    assert changed.outputs["frequency"] == "DAILY"
    aws.destroy(SUBSCRIPTION, changed, "ml")
    aws.destroy(MONITOR, monitor, "ml")
    assert aws.refresh(MONITOR, monitor, "ml") is None
    assert aws.refresh(SUBSCRIPTION, changed, "ml") is None


def test_one_monitor_watches_all_services_of_an_account(aws):
    inputs = {"monitorType": "DIMENSIONAL", "monitorDimension": "SERVICE"}
    made = aws.up(MONITOR, inputs, "services")

    with pytest.raises(CloudError, match="Limit exceeded on dimensional spend monitor"):
        aws.up(MONITOR, inputs, "services-again")

    aws.destroy(MONITOR, made, "services")


def test_a_cost_allocation_tag_is_switched_off_when_it_goes(aws, boto):
    made = aws.up(COST_TAG, {"tagKey": "cost-center", "status": "Active"}, "key")

    def look():
        found = boto("ce").list_cost_allocation_tags(TagKeys=["cost-center"])
        return found["CostAllocationTags"][0]

    assert (look()["Status"], look()["Type"]) == ("Active", "UserDefined")
    assert made.outputs["type"] == "UserDefined"
    assert aws.refresh(COST_TAG, made, "key") == made.inputs
    aws.destroy(COST_TAG, made, "key")
    assert look()["Status"] == "Inactive"


def test_a_snapshot_policy_reads_back_whole(aws, base, boto):
    inputs = snapshots(base.role, tags={"team": "ml"})
    made = aws.up(SNAPSHOTS, inputs, "nightly")
    dlm = boto("dlm")

    live = dlm.get_lifecycle_policy(PolicyId=made.id)["Policy"]

    assert live["PolicyArn"] == made.outputs["arn"]
    assert live["State"] == "ENABLED"
    assert live["Tags"] == {"team": "ml"}
    assert live["PolicyDetails"]["TargetTags"] == [{"Key": "capacity-pool", "Value": "notes"}]
    assert live["PolicyDetails"]["Schedules"] == [
        {
            "Name": "nightly",
            "CopyTags": True,
            "CreateRule": {"Interval": 24, "IntervalUnit": "HOURS", "Times": ["03:00"]},
            "RetainRule": {"Count": 7},
            "TagsToAdd": [{"Key": "made-by", "Value": "dlm"}],
        }
    ]
    assert aws.refresh(SNAPSHOTS, made, "nightly") == made.inputs
    changed = aws.change(SNAPSHOTS, made, {**inputs, "state": "DISABLED"}, "nightly")
    assert dlm.get_lifecycle_policy(PolicyId=made.id)["Policy"]["State"] == "DISABLED"
    aws.destroy(SNAPSHOTS, changed, "nightly")
    assert aws.refresh(SNAPSHOTS, changed, "nightly") is None


def test_an_alarm_reads_back_whole(aws, boto, topic):
    inputs = alarm(
        alarmDescription="too much",
        alarmActions=[topic.id],
        datapointsToAlarm=1,
        treatMissingData="notBreaching",
        tags={"team": "ml"},
    )
    made = aws.up(ALARM, inputs, "quota")
    watch = boto("cloudwatch")

    def look():
        return watch.describe_alarms(AlarmNames=[made.id])["MetricAlarms"][0]

    live = look()
    assert live["AlarmArn"] == made.outputs["arn"]
    assert live["Dimensions"] == [{"Name": "LogGroupName", "Value": "/ml"}]
    assert (live["Threshold"], live["Period"], live["Statistic"]) == (1.5, 86400, "Sum")
    assert live["AlarmActions"] == [topic.id]
    assert live["TreatMissingData"] == "notBreaching"
    tags = watch.list_tags_for_resource(ResourceARN=live["AlarmArn"])["Tags"]
    assert tags_of(tags) == {"team": "ml"}
    assert aws.refresh(ALARM, made, "quota") == made.inputs
    changed = aws.change(ALARM, made, {**inputs, "threshold": 3, "tags": {"a": "b"}}, "quota")
    assert look()["Threshold"] == 3
    tags = watch.list_tags_for_resource(ResourceARN=live["AlarmArn"])["Tags"]
    assert tags_of(tags) == {"a": "b"}
    aws.destroy(ALARM, changed, "quota")
    assert aws.refresh(ALARM, changed, "quota") is None


def test_a_pod_identity_reads_back_whole_and_there_is_one_a_service_account(
    aws, base, boto, entered
):
    inputs = {
        "clusterName": entered,
        "namespace": "kube-system",
        "serviceAccount": "autoscaler",
        "roleArn": base.role,
        "tags": {"team": "ml"},
    }
    made = aws.up(POD_IDENTITY, inputs, "autoscaler")
    key = {"clusterName": entered, "associationId": made.outputs["associationId"]}

    def look():
        return boto("eks").describe_pod_identity_association(**key)["association"]

    assert look()["associationArn"] == made.outputs["associationArn"]
    assert (look()["namespace"], look()["serviceAccount"]) == ("kube-system", "autoscaler")
    assert look()["roleArn"] == base.role
    assert look()["tags"] == {"team": "ml"}
    assert aws.refresh(POD_IDENTITY, made, "autoscaler") == made.inputs
    with pytest.raises(CloudError, match="Association already exists"):
        aws.up(POD_IDENTITY, inputs, "autoscaler-again")
    other = aws.up("aws:iam/role:Role", {"assumeRolePolicy": TRUST}, "other-pods").outputs["arn"]
    changed = aws.change(POD_IDENTITY, made, {**inputs, "roleArn": other}, "autoscaler")
    assert look()["roleArn"] == other
    aws.destroy(POD_IDENTITY, changed, "autoscaler")
    assert aws.refresh(POD_IDENTITY, changed, "autoscaler") is None


def test_tags_of_what_is_not_kept_stay_motos(boto, base):
    arn = f"arn:aws:eks:us-east-1:{ACCOUNT}:cluster/{base.cluster}"
    boto("eks").tag_resource(resourceArn=arn, tags={"by": "boto3"})

    assert boto("eks").describe_cluster(name=base.cluster)["cluster"]["tags"]["by"] == "boto3"
    boto("eks").untag_resource(resourceArn=arn, tagKeys=["by"])
    with pytest.raises(ClientError, match="does not exist"):
        boto("dlm").list_tags_for_resource(ResourceArn="arn:aws:dlm:us-east-1:1:policy/x")
