"""Faults that users reported of other tools' tag checks, each with its right verdict here.

Each test's first line names the public report. Every way in is held to the verdict.
"""

from __future__ import annotations

import json

import pytest

RULE = "TG-LBL-001"
UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
REQUIRED = ["owner", "cost-center"]
BOTH = {"owner": "a", "cost-center": "1"}
BUCKET = "aws:s3/bucket:Bucket"
GROUP = "aws:autoscaling/group:Group"
NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"
TEMPLATE = "aws:ec2/launchTemplate:LaunchTemplate"


@pytest.fixture
def judge(judge_every_way):
    """Every case here goes through every way in that can carry it."""
    return judge_every_way


def outcomes(verdicts):
    return [(verdict.outcome.value, verdict.property) for verdict in verdicts]


def test_default_tags_are_read_from_their_json_string(judge, make):
    # pulumi/pulumi#15477
    bucket = make(BUCKET, {}, provider={"defaultTags": json.dumps({"tags": BOTH})})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]


def test_default_tags_are_those_of_the_resources_own_provider(judge, make):
    # checkmarx/kics#4839
    tagged = make(BUCKET, {}, "a", provider={"defaultTags": json.dumps({"tags": BOTH})})
    bare = make(BUCKET, {}, "b", provider={})
    verdicts = judge(tagged, bare, rule=RULE, requiredKeys=REQUIRED)
    assert [(v.urn, v.outcome.value) for v in verdicts] == [
        (tagged.urn, "pass"),
        (bare.urn, "fail"),
    ]


def test_known_absence_fails_beside_an_unknown_value(judge, make):
    # infracost PR#3295, bridgecrewio/checkov#1515
    bucket = make(BUCKET, {"tags": {"owner": "a", "cost-center": UNKNOWN}, "tagsAll": UNKNOWN})
    verdicts = judge(bucket, rule=RULE, requiredKeys=[*REQUIRED, "environment"])
    assert [(v.outcome.value, v.message.rpartition(": ")[2]) for v in verdicts] == [
        ("fail", "environment"),
        ("unknown", "cost-center"),
    ]


def test_unknown_map_of_tags_is_unknown_for_each_key(judge, make):
    bucket = make(BUCKET, {"tags": UNKNOWN, "tagsAll": UNKNOWN})
    (verdict,) = judge(bucket, rule=RULE, requiredKeys=REQUIRED)
    assert (verdict.outcome.value, verdict.message.rpartition(": ")[2]) == (
        "unknown",
        "owner, cost-center",
    )


def test_unknown_default_tags_leave_absent_keys_unknown(judge, make):
    for defaults in (UNKNOWN, json.dumps({"tags": {"cost-center": UNKNOWN}}), "{no json"):
        bucket = make(BUCKET, {"tags": {"owner": "a"}}, provider={"defaultTags": defaults})
        assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("unknown", "tags")]


def test_one_resources_unknowns_do_not_hide_anothers_failure(judge, make):
    # pulumi/pulumi-policy PR#180
    first, second, third = (
        make(BUCKET, {"tags": tags}, name)
        for name, tags in (("1", UNKNOWN), ("2", BOTH), ("3", {}))
    )
    verdicts = judge(first, second, third, rule=RULE, requiredKeys=REQUIRED)
    assert [(v.urn, v.outcome.value) for v in verdicts] == [
        (first.urn, "unknown"),
        (second.urn, "pass"),
        (third.urn, "fail"),
    ]


def test_scaling_groups_need_both_keys_and_pass_them_on(judge, make):
    # terraform-linters/tflint-ruleset-aws#1136, infracost PR#2598, terraform-compliance#208
    def tag(key, propagates=True):
        return {"key": key, "value": "x", "propagateAtLaunch": propagates}

    groups = [
        make(GROUP, {"tags": tags}, name)
        for name, tags in (
            ("1", [tag("owner")]),
            ("2", [tag("cost-center")]),
            ("3", [tag("owner", False), tag("cost-center", False)]),
            ("4", [tag("owner"), tag("cost-center")]),
            ("5", [tag("owner", UNKNOWN), tag("cost-center")]),
        )
    ]
    verdicts = judge(*groups, rule=RULE, requiredKeys=REQUIRED)
    found = {name: set() for name in "12345"}
    for verdict in verdicts:
        found[verdict.urn[-1]].add(verdict.outcome.value)
    assert found == {"1": {"fail"}, "2": {"fail"}, "3": {"fail"}, "4": {"pass"}, "5": {"unknown"}}


def test_default_tags_do_not_reach_scaling_groups(judge, make):
    # hashicorp/terraform-provider-aws#19387
    group = make(GROUP, {}, provider={"defaultTags": json.dumps({"tags": BOTH})})
    verdicts = judge(group, rule=RULE, requiredKeys=REQUIRED)
    assert {verdict.outcome.value for verdict in verdicts} == {"fail"}


def specifications(*kinds, tags=BOTH):
    return [{"resourceType": kind, "tags": tags} for kind in kinds]


def test_launch_template_needs_specifications_for_what_it_starts(judge, make):
    # pulumi/pulumi-eks#635
    defaults = {"defaultTags": json.dumps({"tags": BOTH})}
    bare = make(TEMPLATE, {"tags": BOTH}, provider=defaults)
    assert outcomes(judge(bare, rule=RULE, requiredKeys=REQUIRED)) == [
        ("fail", "tagSpecifications[instance].tags"),
        ("fail", "tagSpecifications[network-interface].tags"),
        ("fail", "tagSpecifications[volume].tags"),
    ]
    half = make(TEMPLATE, {"tags": BOTH, "tagSpecifications": specifications("instance")})
    assert {v.outcome.value for v in judge(half, rule=RULE, requiredKeys=REQUIRED)} == {"fail"}
    kinds = ("instance", "volume", "network-interface")
    whole = make(TEMPLATE, {"tags": BOTH, "tagSpecifications": specifications(*kinds)})
    assert outcomes(judge(whole, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]


def test_unknown_specifications_are_unknown(judge, make):
    for given in (UNKNOWN, [UNKNOWN], [{"resourceType": UNKNOWN, "tags": {}}]):
        template = make(TEMPLATE, {"tags": BOTH, "tagSpecifications": given})
        verdicts = judge(template, rule=RULE, requiredKeys=REQUIRED)
        assert {verdict.outcome.value for verdict in verdicts} == {"unknown"}


def test_node_group_without_launch_template_starts_unlabelled_instances(judge, make):
    # pulumi/pulumi-eks#635
    group = make(NODE_GROUP, {"tags": BOTH})
    verdicts = judge(group, rule=RULE, requiredKeys=REQUIRED)
    assert outcomes(verdicts) == [("fail", "launchTemplate")]


@pytest.mark.parametrize("how", ["dependency", "id"])
def test_node_group_passes_where_its_template_is_judged_itself(judge, make, how):
    kinds = ("instance", "volume", "network-interface")
    template = make(
        TEMPLATE,
        {"tags": BOTH, "tagSpecifications": specifications(*kinds)},
        "template",
        identifiers={"id": "lt-1"},
    )
    group = make(
        NODE_GROUP,
        {"tags": BOTH, "launchTemplate": {"id": UNKNOWN if how == "dependency" else "lt-1"}},
        dependencies={"launchTemplate": (template.urn,)} if how == "dependency" else {},
    )
    verdicts = judge(template, group, rule=RULE, complete=True, requiredKeys=REQUIRED)
    assert outcomes(verdicts) == [("pass", ""), ("pass", "")]


def test_node_group_with_a_template_of_another_stack_is_unknown(judge, make):
    group = make(NODE_GROUP, {"tags": BOTH, "launchTemplate": {"id": "lt-9"}})
    verdicts = judge(group, rule=RULE, complete=True, requiredKeys=REQUIRED)
    assert outcomes(verdicts) == [("unknown", "launchTemplate")]


def test_kubernetes_labels_and_network_tags_are_no_billing_labels(judge, make):
    # hashicorp/terraform-provider-google#19436
    pool = make(
        "gcp:container/nodePool:NodePool",
        {"nodeConfig": {"labels": BOTH, "tags": ["ssh", None]}},
        provider={"defaultLabels": json.dumps(BOTH)},
    )
    verdicts = judge(pool, rule=RULE, requiredKeys=REQUIRED)
    assert outcomes(verdicts) == [("fail", "nodeConfig.resourceLabels")]


@pytest.mark.parametrize(
    ("value", "outcome"),
    [("ML@Team", "fail"), ("a" * 64, "fail"), ("", "fail"), ("ü", "pass"), ("a" * 63, "pass")],
)
def test_google_values(judge, make, value, outcome):
    # hashicorp/terraform-provider-google#18696, pulumi/pulumi-gcp PR#2305
    bucket = make(
        "gcp:storage/bucket:Bucket",
        {"labels": {"owner": value, "cost-center": "1"}},
        provider={"defaultLabels": json.dumps({"owner": "default"})},
    )
    verdicts = judge(bucket, rule=RULE, requiredKeys=REQUIRED)
    assert [verdict.outcome.value for verdict in verdicts] == [outcome]


AZURE_GROUP = "azure-native:resources:ResourceGroup"


def test_azure_keys_ignore_case_with_a_remark(judge, make):
    # MicrosoftDocs/azure-docs#57888
    group = make(AZURE_GROUP, {"tags": {"costcenter": "1"}})
    (verdict,) = judge(group, rule=RULE, requiredKeys=["CostCenter"])
    assert (verdict.outcome.value, verdict.message) == (
        "pass",
        f"it ({AZURE_GROUP}) spells CostCenter as costcenter in tags",
    )


def test_azure_keys_in_two_casings_fail(judge, make):
    group = make(AZURE_GROUP, {"tags": {"costcenter": "1", "CostCenter": "1"}})
    verdicts = judge(group, rule=RULE, requiredKeys=["CostCenter"])
    assert outcomes(verdicts) == [("fail", "tags")]


def test_more_tags_than_azure_takes_fail(judge, make):
    tags = {"CostCenter": "1", **{f"k{number}": "v" for number in range(50)}}
    verdicts = judge(make(AZURE_GROUP, {"tags": tags}), rule=RULE, requiredKeys=["CostCenter"])
    assert [(verdict.outcome.value, verdict.found) for verdict in verdicts] == [("fail", "51")]


def test_types_without_tags_are_not_applicable(judge, make):
    # Azure/PSRule.Rules.Azure#448
    setting = make("azure-native:insights:DiagnosticSetting", {})
    (verdict,) = judge(setting, rule=RULE, requiredKeys=["CostCenter"])
    assert verdict.outcome.value == "not-applicable"


def test_the_word_none_is_a_value(judge, make):
    # bridgecrewio/checkov#5009, terraform-compliance#343
    bucket = make(BUCKET, {"tags": {"owner": "none", "cost-center": "none"}})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]


@pytest.mark.parametrize("key", ["Environment", "ENVIRONMENT", "env", "Env"])
@pytest.mark.parametrize("type_token", [BUCKET, AZURE_GROUP])
def test_letter_case_and_aliases_count_alike_on_every_cloud(judge, make, key, type_token):
    # pulumi/pulumi-policy-opa#40
    resource = make(type_token, {"tags": {key: "prod"}})
    verdicts = judge(resource, rule=RULE, requiredKeys=["environment"])
    assert outcomes(verdicts) == [("pass", "")]


def test_a_key_that_only_contains_a_required_one_does_not_count(judge, make):
    bucket = make(BUCKET, {"tags": {"owner-team": "a", "cost-center": "1"}})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("fail", "tags")]


@pytest.mark.parametrize("value", [1234.0, 1234, 1.5, True, False])
def test_values_are_text_as_the_provider_writes_them(judge, make, value):
    bucket = make(BUCKET, {"tags": {"owner": "a", "cost-center": value}})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]


def test_null_is_absent(judge, make):
    bucket = make(BUCKET, {"tags": {"owner": "a", "cost-center": None}})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("fail", "tags")]


def test_the_providers_own_merge_counts_too(judge, make):
    # pulumi/pulumi-aws#6002: default tags from the environment are seen only there
    bucket = make(BUCKET, {"tags": {"owner": "a"}, "tagsAll": BOTH})
    assert outcomes(judge(bucket, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]


def test_a_type_nobody_knows_is_never_a_pass(judge, make):
    thing = make("aws:odd/thing:Thing", {"tags": BOTH})
    (verdict,) = judge(thing, rule=RULE, requiredKeys=REQUIRED)
    assert verdict.outcome.value == "unknown"


def test_other_providers_are_not_covered(judge, make):
    assert judge(make("kubernetes:core/v1:Pod", {}), rule=RULE) == []


def test_the_same_resources_give_the_same_verdicts_in_the_same_order(judge, make):
    # pulumi/pulumi-policy#305
    resources = [make(BUCKET, {"tags": UNKNOWN if n % 3 else {}}, f"b{n}") for n in range(30)]
    first = judge(*resources, rule=RULE)
    assert judge(*resources, rule=RULE) == first
    assert sorted(judge(*reversed(resources), rule=RULE), key=lambda v: v.urn) == sorted(
        first, key=lambda v: v.urn
    )


def test_pools_inside_an_aks_cluster_need_their_own_tags(judge, make):
    cluster = make(
        "azure-native:containerservice:ManagedCluster",
        {"tags": BOTH, "agentPoolProfiles": [{"name": "a", "tags": BOTH}, {"name": "b"}]},
    )
    verdicts = judge(cluster, rule=RULE, requiredKeys=REQUIRED)
    assert outcomes(verdicts) == [("fail", "agentPoolProfiles[1].tags")]


@pytest.mark.parametrize(
    "type_token",
    [
        "azure-native:storage/v20240101:StorageAccount",
        "azure-native_storage_v20240101:storage:StorageAccount",
    ],
)
def test_azure_types_of_a_stated_api_version_are_the_same_types(judge, make, type_token):
    from tidegate.policy.graph import normalize_type

    account = make(normalize_type(type_token), {"tags": BOTH})
    assert outcomes(judge(account, rule=RULE, requiredKeys=REQUIRED)) == [("pass", "")]
