"""Whatever a program and its manifest look like, every rule can be evaluated on them."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegate.policy.answers import order_verdicts, parse_verdicts
from tidegate.policy.document import build_shared
from tidegate.policy.graph import ResourceGraph, StackFacts, find_manifest
from tidegate.policy.parameters import build_parameters
from tidegate.policy.portions import build_questions
from tidegate.policy.values import decode_properties

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"

SHAPES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 200)
    | st.sampled_from(["", "a", "SPOT", "7", "us-east-1", "DEBUG", "2026-01-01", UNKNOWN]),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    *("tags", "labels", "data-class", "dataset", "expires-on", "workload-class"),
                    *("environment", "variables", "LOG_LEVEL", "name", "namespace", "key", "value"),
                    *("spec", "metadata", "properties", "rules", "filter", "days", "status"),
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
PLAIN = st.dictionaries(
    st.sampled_from(
        [
            *("tags", "labels", "region", "location", "metadata", "spec", "properties", "bucket"),
            *("lifecycleRules", "rules", "policy", "versioning", "environment", "endDate", "plan"),
            *("autoRenew", "scalingConfig", "nodeConfig", "autoscaling", "capacityType", "sku"),
            *("productionVariants", "costFilters", "notifications", "budgetFilter", "filter"),
            *("labelExtractors", "minCapacity", "maxCapacity", "serviceNamespace", "name"),
        ]
    ),
    SHAPES,
    max_size=5,
)
JUDGED = [
    "aws:appautoscaling/target:Target",
    "aws:autoscaling/group:Group",
    "aws:budgets/budget:Budget",
    "aws:ec2/capacityReservation:CapacityReservation",
    "aws:eks/nodeGroup:NodeGroup",
    "aws:lambda/function:Function",
    "aws:s3/bucket:Bucket",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:sagemaker/endpointConfiguration:EndpointConfiguration",
    "azure-native:compute:CapacityReservation",
    "azure-native:containerservice:AgentPool",
    "azure-native:machinelearningservices:Compute",
    "azure-native:storage:ManagementPolicy",
    "azure-native:storage:StorageAccount",
    "gcp:billing/budget:Budget",
    "gcp:compute/regionCommitment:RegionCommitment",
    "gcp:container/nodePool:NodePool",
    "gcp:logging/metric:Metric",
    "gcp:storage/bucket:Bucket",
    "gcp:workbench/instance:Instance",
    "kubernetes:core/v1:Namespace",
    "kubernetes:karpenter.sh/v1:NodePool",
    "kubernetes:keda.sh/v1alpha1:ScaledObject",
]
MANIFESTS = st.none() | st.fixed_dictionaries(
    {"version": st.just("tidegate/capacity/v1")},
    optional={
        name: st.lists(
            st.dictionaries(
                st.sampled_from(
                    ["maxNodes", "end", "serviceLevel", "expectedGibPerMonth", "labels"]
                ),
                SHAPES,
                max_size=3,
            ).map(lambda entry: {"id": "it", **entry}),
            max_size=2,
        )
        for name in ("pools", "endpoints", "commitments", "buckets", "telemetry")
    },
)
STRICT = {
    "TG-PLC-001": {"regions": {"aws": ["us-*"], "gcp": ["us-*"], "azure": ["eastus"]}},
    "TG-PLC-002": {"residency": {"a": ["us-*"]}},
    "TG-SCL-004": {"hourlyCeilings": {"default": 1}},
    "TG-SCL-005": {"monthlyCeilings": {"default": 1}},
    "TG-CMT-001": {"acknowledged": [{"commitment": "x*", "owner": "o"}]},
}


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    drawn=st.lists(st.tuples(st.sampled_from(JUDGED), PLAIN), min_size=1, max_size=3),
    capacity=MANIFESTS,
    complete=st.booleans(),
)
def test_no_shape_of_a_program_stops_the_rules(engine, rules, make, drawn, capacity, complete):
    # A built-in function of OPA that gets another type than it wants stops the whole evaluation.
    resources = tuple(
        make(type_token, properties, f"n{index}")
        for index, (type_token, properties) in enumerate(drawn)
    )
    manifest = find_manifest(decode_properties({"capacity": capacity})) if capacity else None
    stack = StackFacts("vision", "prod", "prod")
    graph = ResourceGraph(stack, resources, complete, manifest=manifest)
    given_parameters = {
        rule.id: build_parameters(rule.id, rule.parameters, STRICT.get(rule.id, {}))
        for rule in rules.rules
    }
    shared = build_shared(given_parameters)

    def judge(portion):
        questions = build_questions(graph, rules, shared, date="2026-11-30", portion=portion)
        answers = [parse_verdicts(engine.evaluate(each), rules, graph) for each in questions]
        return order_verdicts(verdict for answer in answers for verdict in answer)

    assert judge(portion=1) == judge(portion=len(resources))
