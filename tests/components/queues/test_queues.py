"""Queues: what follows from the pools, object by object."""

from __future__ import annotations

import subprocess
import sys

import pulumi
import pytest
from tidegate_components import Queues

KUEUE = "kueue.x-k8s.io/v1beta2"


@pytest.fixture
def declare(record, catalog, queue_args):
    def run(opts=None, **changes):
        return record(lambda: Queues("gpus", queue_args(**changes), opts, catalog))

    return run


def specs(recording, kind):
    return {
        each.inputs["metadata"]["name"]: each.inputs["spec"]
        for each in recording.of(f"{KUEUE}:{kind}")
    }


def test_each_pool_becomes_a_flavor_that_tolerates_its_own_taints(declare):
    flavors = specs(declare(), "ResourceFlavor")

    taint = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
    assert set(flavors) == {"ordered", "cheap", "paid"}
    assert flavors["cheap"] == {
        "nodeLabels": {"capacity-pool": "cheap"},
        "nodeTaints": [taint],
        "tolerations": [{**taint, "operator": "Equal"}],
    }


def test_a_pool_without_the_pools_label_is_told_by_the_labels_that_it_has(
    declare, queue_args, queue_pool
):
    adopted = queue_pool("cheap", "spot", nodeLabels={"team": "vision"}, taints=[])
    pools = [queue_pool("ordered"), adopted, queue_pool("paid", "reserved", reservation="r")]

    flavors = specs(declare(pools=pools), "ResourceFlavor")

    assert flavors["cheap"] == {"nodeLabels": {"team": "vision"}}


def test_a_queue_fills_reserved_then_spot_then_on_demand(declare):
    queues = specs(declare(), "ClusterQueue")

    (group,) = queues["a100-interruptible"]["resourceGroups"]
    assert [flavor["name"] for flavor in group["flavors"]] == ["paid", "cheap", "ordered"]
    (group,) = queues["a100"]["resourceGroups"]
    assert [flavor["name"] for flavor in group["flavors"]] == ["paid", "ordered"]


def test_quotas_are_accelerators_with_cpu_and_memory_in_proportion(declare, queue_pool, queue_args):
    queues = queue_args()["queues"]
    queues[0]["quotas"] = {"cheap": 16}

    built = specs(declare(queues=queues), "ClusterQueue")["a100-interruptible"]

    (group,) = built["resourceGroups"]
    assert group["coveredResources"] == ["nvidia.com/gpu", "cpu", "memory"]
    quotas = {flavor["name"]: flavor["resources"] for flavor in group["flavors"]}
    # Half of four p4d.24xlarge: 96 CPUs and 1152 GiB each.
    assert quotas["cheap"] == [
        {"name": "nvidia.com/gpu", "nominalQuota": 16},
        {"name": "cpu", "nominalQuota": "192"},
        {"name": "memory", "nominalQuota": "2304Gi"},
    ]
    assert [each["nominalQuota"] for each in quotas["paid"]] == [0, "0", "0Gi"]


def test_a_queue_that_has_its_pools_alone_owns_all_of_them(declare, queue_pool, queue_args):
    alone = {"name": "a100", "accelerator": "a100-40gb", "interruption_tolerance": "tolerant"}
    namespaces = [{"name": "vision", "queues": ["a100"]}]

    recording = declare(queues=[alone], namespaces=namespaces)

    (entry,) = recording.outputs["gpus"]["capacity"]["queues"]
    assert entry["quotas"] == {"paid": 32, "cheap": 32, "ordered": 32}
    assert entry["pools"] == ["paid", "cheap", "ordered"]


def test_queues_lend_and_borrow_within_one_cohort(declare, queue_args):
    queues = queue_args()["queues"]
    queues[0].update(borrowing_limit=8, lending_limit=4)

    recording = declare(queues=queues)

    assert [*specs(recording, "Cohort")] == ["gpus"]
    built = specs(recording, "ClusterQueue")
    assert {queue["cohortName"] for queue in built.values()} == {"gpus"}
    (group,) = built["a100-interruptible"]["resourceGroups"]
    by_name = {flavor["name"]: flavor["resources"][0] for flavor in group["flavors"]}
    assert (by_name["cheap"]["borrowingLimit"], by_name["cheap"]["lendingLimit"]) == (8, 4)
    # What it owns nothing of, it lends nothing of.
    assert by_name["paid"]["lendingLimit"] == 0


def test_work_that_survives_no_interruption_borrows_nothing_and_is_not_preempted(declare):
    built = specs(declare(), "ClusterQueue")

    (group,) = built["a100"]["resourceGroups"]
    limits = [flavor["resources"][0]["borrowingLimit"] for flavor in group["flavors"]]
    assert limits == [0, 0]
    assert built["a100"]["preemption"]["withinClusterQueue"] == "Never"
    assert built["a100"]["preemption"]["reclaimWithinCohort"] == "Any"
    assert built["a100-interruptible"]["preemption"]["withinClusterQueue"] == "LowerPriority"


def test_a_used_up_pool_hands_over_to_the_next_before_work_is_thrown_out(declare):
    for queue in specs(declare(), "ClusterQueue").values():
        assert queue["flavorFungibility"] == {
            "whenCanBorrow": "MayStopSearch",
            "whenCanPreempt": "TryNextFlavor",
        }


def test_only_the_namespaces_that_name_a_queue_may_use_it(declare):
    recording = declare()

    selectors = {
        name: queue["namespaceSelector"]["matchExpressions"]
        for name, queue in specs(recording, "ClusterQueue").items()
    }
    (own,) = selectors["a100"]
    assert (own["operator"], own["values"]) == ("In", ["vision"])
    assert selectors["a100-interruptible"][0]["values"] == ["vision", "speech"]
    local = {
        (each.inputs["metadata"]["namespace"], each.inputs["spec"]["clusterQueue"])
        for each in recording.of("LocalQueue")
    }
    assert local == {
        ("vision", "a100"),
        ("vision", "a100-interruptible"),
        ("speech", "a100-interruptible"),
    }


def test_a_namespace_is_bounded_so_that_it_cannot_take_a_whole_accelerator(declare):
    quotas = {
        each.inputs["metadata"]["namespace"]: each.inputs["spec"]["hard"]
        for each in declare().of(":ResourceQuota")
    }

    assert quotas == {
        "vision": {"requests.nvidia.com/gpu": "48", "pods": "200"},
        "speech": {"requests.nvidia.com/gpu": "24"},
    }


def test_a_namespace_that_is_there_already_is_not_made(declare, queue_args):
    namespaces = queue_args()["namespaces"]
    namespaces[0]["existing"] = True

    recording = declare(namespaces=namespaces)

    assert [each.name for each in recording.of(":Namespace")] == ["gpus-speech"]
    assert len(recording.of("LocalQueue")) == 3


def test_priorities_order_the_queues_work_and_the_scheduler_preempts_nothing(declare):
    recording = declare()

    classes = recording.of("v1:PriorityClass")
    assert {each.inputs["metadata"]["name"]: each.inputs["value"] for each in classes} == {
        "gpus-low": 100,
        "gpus-normal": 1000,
        "gpus-high": 10000,
    }
    assert {each.inputs["preemptionPolicy"] for each in classes} == {"Never"}
    workload = recording.of(":WorkloadPriorityClass")
    assert {each.inputs["value"] for each in workload} == {100, 1000, 10000}
    assert {each.inputs["apiVersion"] for each in workload} == {KUEUE}


def test_queued_pools_are_asked_for_all_nodes_before_work_is_admitted(declare, queue_args):
    queues = queue_args()["queues"]
    queues[0]["queued_pools"] = ["cheap"]

    recording = declare(queues=queues, provisioning_class="queued-provisioning.gke.io")

    built = specs(recording, "ClusterQueue")
    assert built["a100-interruptible"]["admissionChecksStrategy"] == {
        "admissionChecks": [{"name": "gpus-provisioning", "onFlavors": ["cheap"]}]
    }
    assert "admissionChecksStrategy" not in built["a100"]
    assert specs(recording, "AdmissionCheck")["gpus-provisioning"] == {
        "controllerName": "kueue.x-k8s.io/provisioning-request",
        "parameters": {
            "apiGroup": "kueue.x-k8s.io",
            "kind": "ProvisioningRequestConfig",
            "name": "gpus-provisioning",
        },
    }
    assert specs(recording, "ProvisioningRequestConfig")["gpus-provisioning"] == {
        "provisioningClassName": "queued-provisioning.gke.io",
        "managedResources": ["nvidia.com/gpu"],
    }


def test_work_without_an_accelerator_is_counted_in_nodes(declare, queue_pool, labels):
    cpu = queue_pool(
        "prep",
        accelerator="",
        acceleratorsPerNode=0,
        instanceTypes=["m7i.4xlarge"],
        nodeLabels={"capacity-pool": "prep"},
        taints=[],
    )
    queue = {
        "name": "prep",
        "interruption_tolerance": "tolerant",
        "quotas": {"prep": 2},
        "lending_limit": 1,
    }

    recording = declare(
        pools=[cpu], queues=[queue], namespaces=[{"name": "vision", "queues": ["prep"]}]
    )

    (group,) = specs(recording, "ClusterQueue")["prep"]["resourceGroups"]
    assert group == {
        "coveredResources": ["cpu", "memory"],
        "flavors": [
            {
                "name": "prep",
                "resources": [
                    {"name": "cpu", "nominalQuota": "32", "lendingLimit": 16},
                    {"name": "memory", "nominalQuota": "128Gi"},
                ],
            }
        ],
    }


def test_cost_labels_are_on_every_object_and_a_projects_own_on_its_namespace(
    declare, queue_args, labels
):
    namespaces = queue_args()["namespaces"]
    namespaces[1]["labels"] = {**labels, "cost-center": "cc-7"}

    recording = declare(namespaces=namespaces)

    for each in recording.all:
        if each.type.startswith("kubernetes:"):
            stamped = each.inputs["metadata"]["labels"]
            own = "cc-7" if "speech" in each.name else "cc-1001"
            assert (stamped["cost-center"], stamped["managed-by"]) == (own, "tidegate")
    flavor = next(each for each in recording.of("ResourceFlavor") if "cheap" in each.name)
    assert flavor.inputs["metadata"]["labels"]["capacity-pool"] == "cheap"


def test_objects_come_in_the_order_in_which_they_need_each_other(declare):
    recording = declare()

    def needs(name):
        (each,) = [each for each in recording.all if each.name == name]
        return {urn.rsplit("::", 1)[1] for urn in each.request.dependencies}

    assert needs("a100-clusterqueue") >= {"paid-resourceflavor", "gpus-cohort"}
    assert needs("vision-a100-localqueue") >= {"a100-clusterqueue", "gpus-vision"}


def test_what_the_caller_gave_reaches_the_objects_that_it_concerns(record, catalog, queue_args):
    import pulumi_kubernetes as k8s

    def program():
        provider = k8s.Provider("ml", kubeconfig="{}")
        options = pulumi.ResourceOptions(
            provider=provider,
            protect=True,
            ignore_changes=["spec.hard"],
            aliases=[pulumi.Alias(name="old")],
        )
        Queues("gpus", queue_args(), options, catalog)

    recording = record(program)

    for each in recording.all:
        if each.type.startswith("kubernetes:"):
            assert each.request.provider.split("::")[-2] == "ml"
            assert each.request.protect
    (quota,) = [each for each in recording.of(":ResourceQuota") if each.name == "gpus-vision"]
    assert quota.ignored == ["spec.hard"]
    assert recording.of("WorkloadPriorityClass")[0].ignored == []
    assert recording.one("index:Queues").request.aliases[0].spec.name == "old"


def test_names_are_fixed_and_the_old_object_goes_first(declare):
    for each in declare().all:
        if each.type.startswith("kubernetes:"):
            assert each.inputs["metadata"]["name"]
            assert each.request.deleteBeforeReplace


def test_the_manifest_says_the_queues_and_bindings_name_them(declare):
    outputs = declare().outputs["gpus"]

    entries = {each["id"]: each for each in outputs["capacity"]["queues"]}
    assert entries["a100"] == {
        "id": "a100",
        "cloud": "aws",
        "cluster": "ml",
        "accelerator": "a100-40gb",
        "priority": "high",
        "interruptionTolerance": "intolerant",
        "serviceLevel": "",
        "pools": ["paid", "ordered"],
        "namespaces": ["vision"],
        "quotas": {"paid": 32, "ordered": 32},
        "cohort": "gpus",
        "borrowingLimit": 0,
        "labels": entries["a100"]["labels"],
    }
    assert outputs["bindings"]["a100"] == {
        "cloud": "aws",
        "cluster": "ml",
        "clusterQueue": "a100",
        "cohort": "gpus",
    }


def test_a_service_level_chooses_the_pools_that_promise_it(declare, queue_pool):
    pools = [queue_pool("gold", serviceLevel="gold"), queue_pool("plain")]
    queue = {
        "name": "gold",
        "accelerator": "a100-40gb",
        "interruption_tolerance": "intolerant",
        "service_level": "gold",
    }
    recording = declare(
        pools=pools, queues=[queue], namespaces=[{"name": "vision", "queues": ["gold"]}]
    )

    assert recording.outputs["gpus"]["capacity"]["queues"][0]["pools"] == ["gold"]


def test_one_project_has_a_namespace_in_each_of_several_clusters(record, catalog, queue_args):
    def program():
        for cluster in ("ml", "other"):
            args = queue_args(cluster=cluster)
            for index, fragment in enumerate(args["pools"]):
                for each in fragment.get("pools", [fragment]):
                    each.update(cluster=cluster, id=f"{cluster}-{each['id']}")
                args["pools"][index] = fragment
            for each in args["queues"]:
                each["name"] = f"{cluster}-{each['name']}"
                each["quotas"] = {f"{cluster}-{key}": own for key, own in each["quotas"].items()}
            for each in args["namespaces"]:
                each["queues"] = [f"{cluster}-{name}" for name in each["queues"]]
            Queues(f"{cluster}-gpus", args, None, catalog)

    recording = record(program)

    names = [(each.type, each.name) for each in recording.all]
    assert len(names) == len(set(names))
    assert len(recording.of(":Namespace")) == 4


def test_no_module_of_the_kubernetes_sdk_is_imported_for_queues(queue_args):
    code = (
        "import json, sys; from tidegate_components import Queues; "
        "from tidegate_components.queues.declare import Declaration; "
        "print([name for name in sys.modules if name.startswith('pulumi_kubernetes')])"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )

    assert done.stdout.strip() == "[]", done.stderr


def test_objects_have_the_types_and_inputs_that_the_sdks_own_classes_would_give(record, declare):
    import pulumi_kubernetes as k8s

    # From its own file: whoever imported that before leaves a module of the name in its package.
    from pulumi_kubernetes.apiextensions.CustomResource import CustomResource

    def program():
        metadata = {"name": "a"}
        k8s.core.v1.Namespace("a", metadata=metadata)
        k8s.core.v1.ResourceQuota("a", metadata=metadata, spec={"hard": {"pods": "1"}})
        k8s.scheduling.v1.PriorityClass("a", metadata=metadata, value=1)
        CustomResource("a", "kueue.x-k8s.io/v1beta2", "Cohort", metadata=metadata, spec={})

    theirs = {each.type: each for each in record(program).all}
    ours = {each.type: each for each in declare().all if each.type in theirs}

    assert set(ours) == set(theirs)
    for token, each in ours.items():
        other = theirs[token]
        assert each.inputs["apiVersion"] == other.inputs["apiVersion"]
        assert each.inputs["kind"] == other.inputs["kind"]
        assert each.request.version == other.request.version
