"""What boto3 changed, seen by a refresh."""

from __future__ import annotations

import pytest

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


@pytest.mark.parametrize("kind", ["size", "tags", "gone"])
def test_shows_what_boto3_changed_on_a_node_group(aws, base, node_group, boto, kind):
    name = f"drift-{kind}"
    made = aws.up(NODE_GROUP, node_group(nodeGroupName=name, tags={"team": "ml"}), name)
    keys = {"clusterName": base.cluster, "nodegroupName": name}
    eks = boto("eks")

    if kind == "size":
        group = made.outputs["resources"][0]["autoscalingGroups"][0]["name"]
        boto("autoscaling").set_desired_capacity(AutoScalingGroupName=group, DesiredCapacity=2)
        expected = {**made.inputs, "scalingConfig": {"minSize": 0, "maxSize": 4, "desiredSize": 2}}
    elif kind == "tags":
        eks.tag_resource(resourceArn=made.outputs["arn"], tags={"team": "other", "by": "hand"})
        changed = {"team": "other", "by": "hand"}
        expected = {**made.inputs, "tags": changed, "tagsAll": changed}
    else:
        eks.delete_nodegroup(**keys)
        expected = None

    assert aws.refresh(NODE_GROUP, made, name) == expected


def test_shows_what_boto3_changed_on_buckets_and_log_groups(aws, boto):
    lifecycle = "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration"
    bucket = aws.up("aws:s3/bucket:Bucket", {"bucket": "drift", "tags": {"a": "b"}}, "drift")
    rules = [{"id": "r", "status": "Enabled", "expiration": {"days": 30}}]
    configuration = aws.up(lifecycle, {"bucket": "drift", "rules": rules}, "drift")
    logs = aws.up(
        "aws:cloudwatch/logGroup:LogGroup", {"name": "drift", "retentionInDays": 30}, "drift"
    )

    boto("s3").put_bucket_tagging(Bucket="drift", Tagging={"TagSet": [{"Key": "a", "Value": "c"}]})
    changed = [
        {"ID": "r", "Status": "Enabled", "Filter": {"Prefix": ""}, "Expiration": {"Days": 9}}
    ]
    boto("s3").put_bucket_lifecycle_configuration(
        Bucket="drift", LifecycleConfiguration={"Rules": changed}
    )
    boto("logs").put_retention_policy(logGroupName="drift", retentionInDays=365)

    assert aws.refresh("aws:s3/bucket:Bucket", bucket, "drift")["tags"] == {"a": "c"}
    live = aws.refresh(lifecycle, configuration, "drift")
    assert live["rules"][0]["expiration"] == {"days": 9}
    found = aws.refresh("aws:cloudwatch/logGroup:LogGroup", logs, "drift")
    assert found["retentionInDays"] == 365
    boto("s3").delete_bucket_lifecycle(Bucket="drift")
    assert aws.refresh(lifecycle, configuration, "drift") is None
