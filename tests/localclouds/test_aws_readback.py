"""What was declared, read back field by field through boto3."""

from __future__ import annotations

import json

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


def tags_of(pairs):
    return {pair["Key"]: pair["Value"] for pair in pairs}


def test_a_cluster(aws, base, boto):
    inputs = {
        "name": "readback",
        "roleArn": base.role,
        "version": "1.33",
        "vpcConfig": {
            "subnetIds": base.subnets,
            "endpointPrivateAccess": True,
            "endpointPublicAccess": False,
            "publicAccessCidrs": ["10.0.0.0/8"],
        },
        "kubernetesNetworkConfig": {"serviceIpv4Cidr": "10.100.0.0/16"},
        "accessConfig": {"authenticationMode": "API"},
        "upgradePolicy": {"supportType": "STANDARD"},
        "enabledClusterLogTypes": ["api", "audit"],
        "tags": {"team": "ml"},
    }
    made = aws.up("aws:eks/cluster:Cluster", inputs, "readback")

    live = boto("eks").describe_cluster(name="readback")["cluster"]

    assert live["arn"] == made.outputs["arn"]
    assert live["roleArn"] == base.role
    assert live["version"] == "1.33"
    assert live["kubernetesNetworkConfig"]["serviceIpv4Cidr"] == "10.100.0.0/16"
    assert live["accessConfig"] == {"authenticationMode": "API"}
    assert live["upgradePolicy"] == {"supportType": "STANDARD"}
    assert live["logging"]["clusterLogging"][0] == {"types": ["api", "audit"], "enabled": True}
    assert live["tags"] == {"team": "ml"}
    network = live["resourcesVpcConfig"]
    assert network["vpcId"] == base.vpc
    assert {key: network[key] for key in inputs["vpcConfig"]} == inputs["vpcConfig"]
    assert aws.refresh("aws:eks/cluster:Cluster", made, "readback") == made.inputs


def test_a_node_group_and_the_auto_scaling_group_behind_it(aws, base, node_group, boto):
    template = aws.up(TEMPLATE, {"metadataOptions": {"httpTokens": "required"}}, "for-nodes")
    version = str(template.outputs["latestVersion"])
    inputs = node_group(
        nodeGroupName="readback",
        capacityType="SPOT",
        amiType="AL2023_x86_64_NVIDIA",
        instanceTypes=["p5.48xlarge", "p4d.24xlarge"],
        scalingConfig={"minSize": 0, "maxSize": 8, "desiredSize": 3},
        labels={"accelerator": "h100"},
        taints=[{"key": "nvidia.com/gpu", "value": "present", "effect": "NO_SCHEDULE"}],
        launchTemplate={"id": template.id, "version": version},
        updateConfig={"maxUnavailablePercentage": 25},
        nodeRepairConfig={"enabled": True},
        tags={"team": "ml"},
    )
    made = aws.up(NODE_GROUP, inputs, "readback")

    live = boto("eks").describe_nodegroup(clusterName=base.cluster, nodegroupName="readback")
    live = live["nodegroup"]
    name = live["resources"]["autoScalingGroups"][0]["name"]
    groups = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=[name])
    group = groups["AutoScalingGroups"][0]
    ids = [instance["InstanceId"] for instance in group["Instances"]]
    reservations = boto("ec2").describe_instances(InstanceIds=ids)["Reservations"]
    instances = [instance for part in reservations for instance in part["Instances"]]

    for field in ("capacityType", "amiType", "instanceTypes", "scalingConfig", "labels", "taints"):
        assert live[field] == inputs[field]
    assert live["nodeRole"] == base.role
    assert live["subnets"] == base.subnets
    assert live["updateConfig"] == {"maxUnavailablePercentage": 25}
    assert live["nodeRepairConfig"] == {"enabled": True}
    assert live["launchTemplate"]["id"] == template.id
    assert live["launchTemplate"]["version"] == version
    assert live["tags"] == {"team": "ml"}
    assert made.outputs["resources"][0]["autoscalingGroups"] == [{"name": name}]
    assert (group["MinSize"], group["DesiredCapacity"], group["MaxSize"]) == (0, 3, 8)
    assert {instance["InstanceType"] for instance in instances} == {"p5.48xlarge"}
    assert {instance["InstanceLifecycle"] for instance in instances} == {"spot"}
    assert len({instance["Placement"]["AvailabilityZone"] for instance in instances}) == 3
    assert aws.refresh(NODE_GROUP, made, "readback") == made.inputs


def test_an_auto_scaling_group(aws, base, boto):
    token = "aws:autoscaling/group:Group"
    template = aws.up(TEMPLATE, {"instanceType": "g5.xlarge", "imageId": "ami-12c6146b"}, "asg")
    inputs = {
        "name": "readback",
        "minSize": 1,
        "maxSize": 6,
        "desiredCapacity": 4,
        "vpcZoneIdentifiers": base.subnets,
        "capacityRebalance": True,
        "healthCheckGracePeriod": 60,
        "mixedInstancesPolicy": {
            "launchTemplate": {
                "launchTemplateSpecification": {
                    "launchTemplateId": template.id,
                    "version": "1",
                },
                "overrides": [{"instanceType": "g5.xlarge"}, {"instanceType": "g6.xlarge"}],
            },
            "instancesDistribution": {
                "onDemandBaseCapacity": 1,
                "onDemandPercentageAboveBaseCapacity": 0,
                "spotAllocationStrategy": "price-capacity-optimized",
            },
        },
        "suspendedProcesses": ["AZRebalance"],
        "tags": [{"key": "team", "value": "ml", "propagateAtLaunch": True}],
    }
    made = aws.up(token, inputs, "readback")

    def look():
        found = boto("autoscaling").describe_auto_scaling_groups(AutoScalingGroupNames=["readback"])
        return found["AutoScalingGroups"]

    live = look()[0]

    assert (live["MinSize"], live["DesiredCapacity"], live["MaxSize"]) == (1, 4, 6)
    assert live["VPCZoneIdentifier"].split(",") == base.subnets
    assert live["CapacityRebalance"] is True
    assert live["HealthCheckGracePeriod"] == 60
    policy = live["MixedInstancesPolicy"]
    assert policy["InstancesDistribution"]["SpotAllocationStrategy"] == "price-capacity-optimized"
    assert [part["InstanceType"] for part in policy["LaunchTemplate"]["Overrides"]] == [
        "g5.xlarge",
        "g6.xlarge",
    ]
    assert [part["ProcessName"] for part in live["SuspendedProcesses"]] == ["AZRebalance"]
    assert [(tag["Key"], tag["PropagateAtLaunch"]) for tag in live["Tags"]] == [("team", True)]
    assert aws.refresh(token, made, "readback") == made.inputs
    smaller = {**inputs, "desiredCapacity": 2, "tags": [], "suspendedProcesses": []}
    changed = aws.change(token, made, smaller, "readback")
    assert len(look()[0]["Instances"]) == 2
    assert look()[0]["Tags"] == look()[0]["SuspendedProcesses"] == []
    assert aws.refresh(token, changed, "readback") == changed.inputs
    aws.destroy(token, changed, "readback")
    assert look() == []


def test_a_launch_template(aws, boto):
    inputs = {
        "instanceType": "p5.48xlarge",
        "blockDeviceMappings": [
            {
                "deviceName": "/dev/xvda",
                "ebs": {"volumeSize": 500, "volumeType": "gp3", "encrypted": "true", "iops": 4000},
            }
        ],
        "metadataOptions": {"httpTokens": "required", "httpPutResponseHopLimit": 2},
        "tagSpecifications": [
            {"resourceType": kind, "tags": {"team": "ml"}}
            for kind in ("instance", "volume", "network-interface")
        ],
        "tags": {"team": "ml"},
        "userData": "IyEvYmluL3No",
        "monitoring": {"enabled": True},
    }
    made = aws.up(TEMPLATE, inputs, "readback")
    found = boto("ec2").describe_launch_template_versions(LaunchTemplateId=made.id)
    data = found["LaunchTemplateVersions"][0]["LaunchTemplateData"]

    assert data["InstanceType"] == "p5.48xlarge"
    mapping = data["BlockDeviceMappings"][0]
    assert mapping["DeviceName"] == "/dev/xvda"
    assert mapping["Ebs"] == {
        "VolumeSize": 500,
        "VolumeType": "gp3",
        "Encrypted": True,
        "Iops": 4000,
    }
    assert data["MetadataOptions"]["HttpTokens"] == "required"
    assert data["MetadataOptions"]["HttpPutResponseHopLimit"] == 2
    assert data["UserData"] == "IyEvYmluL3No"
    assert data["Monitoring"] == {"Enabled": True}
    kinds = {part["ResourceType"]: tags_of(part["Tags"]) for part in data["TagSpecifications"]}
    assert kinds["instance"] == kinds["volume"] == kinds["network-interface"] == {"team": "ml"}
    assert aws.refresh(TEMPLATE, made, "readback") == made.inputs


def test_a_changed_launch_template_has_a_new_latest_version(aws):
    made = aws.up(TEMPLATE, {"instanceType": "g5.xlarge"}, "versions")

    changed = aws.change(TEMPLATE, made, {"instanceType": "g6.xlarge"}, "versions")
    retagged = aws.change(
        TEMPLATE, changed, {"instanceType": "g6.xlarge", "tags": {"a": "b"}}, "versions"
    )

    assert (made.outputs["latestVersion"], changed.outputs["latestVersion"]) == (1, 2)
    assert retagged.outputs["latestVersion"] == 2
    assert changed.outputs["defaultVersion"] == 1


def test_a_bucket_with_all_that_is_set_on_it(aws, boto):
    s3 = boto("s3")
    bucket = aws.up("aws:s3/bucket:Bucket", {"bucket": "readback", "tags": {"team": "ml"}}, "rb")
    rules = [
        {
            "id": "cold",
            "status": "Enabled",
            "filter": {
                "and": {"prefix": "runs/", "tags": {"k": "v"}, "objectSizeGreaterThan": 1024}
            },
            "transitions": [
                {"days": 30, "storageClass": "STANDARD_IA"},
                {"days": 120, "storageClass": "DEEP_ARCHIVE"},
            ],
            "expiration": {"days": 400},
            "noncurrentVersionExpiration": {"noncurrentDays": 30},
            "abortIncompleteMultipartUpload": {"daysAfterInitiation": 7},
        }
    ]
    settings = {
        "aws:s3/bucketVersioning:BucketVersioning": {
            "versioningConfiguration": {"status": "Enabled"}
        },
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
            "rules": rules,
            "transitionDefaultMinimumObjectSize": "varies_by_storage_class",
        },
        "aws:s3/bucketIntelligentTieringConfiguration:BucketIntelligentTieringConfiguration": {
            "name": "all",
            "tierings": [
                {"accessTier": "ARCHIVE_ACCESS", "days": 90},
                {"accessTier": "DEEP_ARCHIVE_ACCESS", "days": 180},
            ],
            "filter": {"prefix": "runs/", "tags": {"k": "v"}},
        },
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": {
            "blockPublicAcls": True,
            "blockPublicPolicy": True,
            "ignorePublicAcls": True,
            "restrictPublicBuckets": True,
        },
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": {
            "rules": [
                {
                    "applyServerSideEncryptionByDefault": {"sseAlgorithm": "aws:kms"},
                    "bucketKeyEnabled": True,
                }
            ]
        },
    }
    made = {
        token: aws.up(token, {"bucket": bucket.id, **inputs}, "rb")
        for token, inputs in settings.items()
    }

    lifecycle = s3.get_bucket_lifecycle_configuration(Bucket="readback")
    tiering = s3.get_bucket_intelligent_tiering_configuration(Bucket="readback", Id="all")
    tiering = tiering["IntelligentTieringConfiguration"]
    block = s3.get_public_access_block(Bucket="readback")["PublicAccessBlockConfiguration"]
    encryption = s3.get_bucket_encryption(Bucket="readback")["ServerSideEncryptionConfiguration"]

    assert tags_of(s3.get_bucket_tagging(Bucket="readback")["TagSet"]) == {"team": "ml"}
    assert s3.get_bucket_versioning(Bucket="readback")["Status"] == "Enabled"
    assert lifecycle["TransitionDefaultMinimumObjectSize"] == "varies_by_storage_class"
    assert lifecycle["Rules"] == [
        {
            "ID": "cold",
            "Status": "Enabled",
            "Filter": {
                "And": {
                    "Prefix": "runs/",
                    "Tags": [{"Key": "k", "Value": "v"}],
                    "ObjectSizeGreaterThan": 1024,
                }
            },
            "Transitions": [
                {"Days": 30, "StorageClass": "STANDARD_IA"},
                {"Days": 120, "StorageClass": "DEEP_ARCHIVE"},
            ],
            "Expiration": {"Days": 400},
            "NoncurrentVersionExpiration": {"NoncurrentDays": 30},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 7},
        }
    ]
    assert tiering == {
        "Id": "all",
        "Status": "Enabled",
        "Filter": {"And": {"Prefix": "runs/", "Tags": [{"Key": "k", "Value": "v"}]}},
        "Tierings": [
            {"AccessTier": "ARCHIVE_ACCESS", "Days": 90},
            {"AccessTier": "DEEP_ARCHIVE_ACCESS", "Days": 180},
        ],
    }
    assert set(block.values()) == {True}
    rule = encryption["Rules"][0]
    assert rule["ApplyServerSideEncryptionByDefault"] == {"SSEAlgorithm": "aws:kms"}
    assert rule["BucketKeyEnabled"] is True
    for token, resource in made.items():
        assert aws.refresh(token, resource, "rb") == resource.inputs


def test_a_capacity_reservation_counts_what_runs_against_it(aws, boto):
    token = "aws:ec2/capacityReservation:CapacityReservation"
    inputs = {
        "availabilityZone": "us-east-1b",
        "instanceCount": 3,
        "instancePlatform": "Linux/UNIX",
        "instanceType": "p4d.24xlarge",
        "instanceMatchCriteria": "open",
        "endDateType": "limited",
        "endDate": "2027-06-01T00:00:00Z",
        "ebsOptimized": True,
        "tenancy": "default",
        "tags": {"team": "ml"},
    }
    made = aws.up(token, inputs, "readback")
    boto("ec2").run_instances(
        ImageId="ami-12c6146b",
        InstanceType="p4d.24xlarge",
        MinCount=1,
        MaxCount=1,
        Placement={"AvailabilityZone": "us-east-1b"},
    )

    found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[made.id])
    live = found["CapacityReservations"][0]

    assert live["InstanceType"] == "p4d.24xlarge"
    assert live["AvailabilityZone"] == "us-east-1b"
    assert live["InstancePlatform"] == "Linux/UNIX"
    assert live["InstanceMatchCriteria"] == "open"
    assert live["EndDateType"] == "limited"
    assert live["EndDate"].isoformat() == "2027-06-01T00:00:00+00:00"
    assert live["EbsOptimized"] is True
    assert live["Tenancy"] == "default"
    assert live["State"] == "active"
    assert (live["TotalInstanceCount"], live["AvailableInstanceCount"]) == (3, 2)
    assert tags_of(live["Tags"]) == {"team": "ml"}
    assert aws.refresh(token, made, "readback") == made.inputs
    grown = aws.change(token, made, {**inputs, "instanceCount": 5}, "readback")
    assert grown.outputs["instanceCount"] == 5
    aws.destroy(token, grown, "readback")
    found = boto("ec2").describe_capacity_reservations(CapacityReservationIds=[made.id])
    assert found["CapacityReservations"][0]["State"] == "cancelled"


def test_a_log_group_a_queue_and_a_budget(aws, boto):
    logs = aws.up(
        "aws:cloudwatch/logGroup:LogGroup",
        {"name": "/readback", "retentionInDays": 90, "tags": {"team": "ml"}},
        "rb",
    )
    queue = aws.up(
        "aws:sqs/queue:Queue",
        {"name": "readback", "visibilityTimeoutSeconds": 90, "messageRetentionSeconds": 3600},
        "rb",
    )
    budget_inputs = {
        "name": "readback",
        "budgetType": "COST",
        "timeUnit": "MONTHLY",
        "limitAmount": "1000",
        "limitUnit": "USD",
        "timePeriodStart": "2026-01-01_00:00",
        "costFilters": [{"name": "TagKeyValue", "values": ["user:cost-center$ml"]}],
        "notifications": [
            {
                "comparisonOperator": "GREATER_THAN",
                "notificationType": "ACTUAL",
                "threshold": 80,
                "thresholdType": "PERCENTAGE",
                "subscriberEmailAddresses": ["ml@example.com"],
            }
        ],
    }
    budget = aws.up("aws:budgets/budget:Budget", budget_inputs, "rb")

    group = boto("logs").describe_log_groups(logGroupNamePrefix="/readback")["logGroups"][0]
    url = boto("sqs").get_queue_url(QueueName="readback")["QueueUrl"]
    attributes = boto("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
    account = {"AccountId": "123456789012", "BudgetName": "readback"}
    live = boto("budgets").describe_budget(**account)["Budget"]
    notifications = boto("budgets").describe_notifications_for_budget(**account)

    assert group["retentionInDays"] == 90
    assert attributes["Attributes"]["VisibilityTimeout"] == "90"
    assert attributes["Attributes"]["MessageRetentionPeriod"] == "3600"
    assert live["BudgetLimit"] == {"Amount": "1000", "Unit": "USD"}
    assert live["CostFilters"] == {"TagKeyValue": ["user:cost-center$ml"]}
    assert notifications["Notifications"][0]["Threshold"] == 80
    assert aws.refresh("aws:cloudwatch/logGroup:LogGroup", logs, "rb") == logs.inputs
    assert aws.refresh("aws:sqs/queue:Queue", queue, "rb") == queue.inputs
    assert aws.refresh("aws:budgets/budget:Budget", budget, "rb") == budget.inputs
    raised = aws.change(
        "aws:budgets/budget:Budget", budget, {**budget_inputs, "limitAmount": "2000"}, "rb"
    )
    assert raised.outputs["limitAmount"] == "2000"
    assert boto("budgets").describe_budget(**account)["Budget"]["BudgetLimit"]["Amount"] == "2000"


def test_a_queue_goes_back_to_defaults_and_keeps_zeros(aws, boto):
    token = "aws:sqs/queue:Queue"
    made = aws.up(token, {"name": "zeros", "visibilityTimeoutSeconds": 0}, "zeros")
    url = boto("sqs").get_queue_url(QueueName="zeros")["QueueUrl"]

    def look():
        found = boto("sqs").get_queue_attributes(QueueUrl=url, AttributeNames=["All"])
        return found["Attributes"]["VisibilityTimeout"]

    assert look() == "0"
    aws.change(token, made, {"name": "zeros"}, "zeros")
    assert look() == "30"


def test_a_network(aws, boto):
    vpc = aws.up(
        "aws:ec2/vpc:Vpc",
        {"cidrBlock": "10.1.0.0/16", "enableDnsHostnames": True, "tags": {"team": "ml"}},
        "net",
    )
    subnet_inputs = {
        "vpcId": vpc.id,
        "cidrBlock": "10.1.1.0/24",
        "availabilityZone": "us-east-1c",
        "mapPublicIpOnLaunch": True,
        "enableResourceNameDnsARecordOnLaunch": True,
    }
    subnet = aws.up("aws:ec2/subnet:Subnet", subnet_inputs, "net")
    ingress = {"protocol": "tcp", "fromPort": 443, "toPort": 443, "cidrBlocks": ["10.0.0.0/8"]}
    group = aws.up(
        "aws:ec2/securityGroup:SecurityGroup", {"vpcId": vpc.id, "ingress": [ingress]}, "net"
    )
    ec2 = boto("ec2")

    live = ec2.describe_subnets(SubnetIds=[subnet.id])["Subnets"][0]
    attribute = ec2.describe_vpc_attribute(VpcId=vpc.id, Attribute="enableDnsHostnames")
    rules = ec2.describe_security_groups(GroupIds=[group.id])["SecurityGroups"][0]

    assert live["CidrBlock"] == "10.1.1.0/24"
    assert live["AvailabilityZone"] == "us-east-1c"
    assert live["MapPublicIpOnLaunch"] is True
    assert live["PrivateDnsNameOptionsOnLaunch"]["EnableResourceNameDnsARecord"] is True
    assert attribute["EnableDnsHostnames"] == {"Value": True}
    assert rules["IpPermissionsEgress"] == []
    assert rules["IpPermissions"][0]["IpRanges"] == [{"CidrIp": "10.0.0.0/8"}]
    for token, made in (
        ("aws:ec2/vpc:Vpc", vpc),
        ("aws:ec2/subnet:Subnet", subnet),
        ("aws:ec2/securityGroup:SecurityGroup", group),
    ):
        assert aws.refresh(token, made, "net") == made.inputs


def test_roles_and_policies(aws, boto):
    document = json.dumps(
        {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Action": "s3:GetObject", "Resource": "*"}],
        }
    )
    policy = aws.up("aws:iam/policy:Policy", {"policy": document, "path": "/ml/"}, "rb")
    role = aws.up(
        "aws:iam/role:Role",
        {
            "assumeRolePolicy": document,
            "description": "trains",
            "maxSessionDuration": 7200,
            "managedPolicyArns": ["arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"],
            "inlinePolicies": [{"name": "inline", "policy": document}],
            "tags": {"team": "ml"},
        },
        "rb",
    )
    attached = {"role": role.id, "policyArn": policy.id}
    aws.up("aws:iam/rolePolicyAttachment:RolePolicyAttachment", attached, "rb")
    iam = boto("iam")

    live = iam.get_role(RoleName=role.id)["Role"]
    arns = iam.list_attached_role_policies(RoleName=role.id)["AttachedPolicies"]

    assert (live["Description"], live["MaxSessionDuration"]) == ("trains", 7200)
    assert tags_of(live["Tags"]) == {"team": "ml"}
    assert {part["PolicyArn"] for part in arns} == {
        "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy",
        policy.id,
    }
    assert iam.list_role_policies(RoleName=role.id)["PolicyNames"] == ["inline"]
    assert aws.refresh("aws:iam/role:Role", role, "rb") == role.inputs
    assert aws.refresh("aws:iam/policy:Policy", policy, "rb") == policy.inputs
