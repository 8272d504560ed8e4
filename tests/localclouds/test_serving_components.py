"""The real CLI: commitments, endpoints, notebooks and managed training on three clouds."""

from __future__ import annotations

import json

import boto3
import pytest

PROGRAM = """
import json

import pulumi
import pulumi_aws as aws
import pulumi_azure_native as azure
import pulumi_kubernetes as k8s
from tidegate_components import CommittedCapacity, InferenceCapacity, Notebooks, TrainingCompute

config = pulumi.Config()
LABELS = {
    "environment": "prod", "owner": config.get("owner") or "ml-platform",
    "business-unit": "research", "platform-project": "vision",
    "workload-class": "inference", "cost-center": "cc-1001",
}
AMOUNT = config.get("amount") or "20"
AGREED = {"hourly_amount": AMOUNT, "currency": "USD", "end_date": "2028-01-04"}
TERM = {"start_date": "2027-01-04", "term_months": 12}
AWS = {"cloud": "aws", "region": "us-east-1", "labels": LABELS}
GCP = {"cloud": "gcp", "region": "us-central1", "labels": LABELS}
AZURE = {"cloud": "azure", "region": "eastus", "labels": LABELS}

trust = json.dumps({"Version": "2012-10-17", "Statement": []})
role = aws.iam.Role("role", assume_role_policy=trust)
vpc = aws.ec2.Vpc("vpc", cidr_block="10.0.0.0/16")
subnets = [
    aws.ec2.Subnet(zone, vpc_id=vpc.id, cidr_block=f"10.0.{number}.0/24",
                   availability_zone=f"us-east-1{zone}")
    for number, zone in enumerate("ab")
]
ids = [subnet.id for subnet in subnets]
model = aws.sagemaker.Model("served", execution_role_arn=role.arn, primary_container={
    "image": "123456789012.dkr.ecr.us-east-1.amazonaws.com/serve:1"})


def declare(kind, name, args, **options):
    # Under a name, or under another one that remembers it.
    other = config.get("suffix")
    aliases = [pulumi.Alias(name=name)] if other else None
    opts = pulumi.ResourceOptions(aliases=aliases, **options)
    return kind(f"{name}{other or ''}", args, opts)


declared = [
    declare(CommittedCapacity, "floor", {
        **AWS, "kind": "savings-plan", "acknowledge": AGREED,
        "purchase": {"offering_id": config.require("offering"), "term_months": 12,
                     "purchase_time": "2027-01-04T09:00:00Z", "covers": ["sagemaker"]},
    }),
    declare(CommittedCapacity, "used", {
        **GCP, "kind": "resource-cud", "instance_type": "n1-standard-8", "units": 1,
        "acknowledge": AGREED, "purchase": TERM, "gcp": {"project": "tidegate"}}),
    declare(CommittedCapacity, "future", {
        **GCP, "kind": "future-reservation", "instance_type": "g2-standard-48", "units": 2,
        "zone": "us-central1-a", "acknowledge": AGREED,
        "purchase": {"start_date": "2027-01-04"}, "gcp": {"project": "tidegate"}}),
    declare(InferenceCapacity, "parts", {
        **AWS, "model": "llama", "max_replicas": 4,
        "sagemaker": {"execution_role_arn": role.arn,
                      "instance_type": config.get("machine") or "ml.g5.xlarge"}}),
    declare(InferenceCapacity, "variant", {
        **AWS, "model": "llama", "min_replicas": 1, "max_replicas": config.get_int("most") or 4,
        "sagemaker": {"model_name": model.name, "instance_type": "ml.g5.xlarge",
                      "invocations_per_minute": 60}}),
    declare(InferenceCapacity, "queued", {
        **AWS, "model": "llama", "max_replicas": 2,
        "sagemaker": {"model_name": model.name, "instance_type": "ml.g5.xlarge",
                      "async_output_s3_uri": "s3://answers/queued",
                      "invocations_per_minute": 5}}),
    declare(Notebooks, "explore", {
        **AWS, "instance_type": "ml.g5.xlarge", "idle_shutdown_seconds": 3600,
        "aws": {"role_arn": role.arn}}),
    declare(Notebooks, "studio", {
        **AWS, "kind": "studio", "instance_type": "ml.g5.xlarge", "idle_shutdown_seconds": 3600,
        "aws": {"role_arn": role.arn, "vpc_id": vpc.id, "subnet_ids": ids}}),
    declare(TrainingCompute, "managed", {
        **AWS, "instance_type": "ml.p4d.24xlarge", "capacity_type": "on-demand", "max_nodes": 2,
        "max_run_seconds": 3600, "aws": {"role_arn": role.arn}}),
    declare(InferenceCapacity, "vertex", {
        **GCP, "model": "llama", "min_replicas": 1, "max_replicas": 2,
        "vertex": {"machine_type": "g2-standard-48"}, "gcp": {"project": "tidegate"}}),
    declare(Notebooks, "bench", {
        **GCP, "zone": "us-central1-a", "instance_type": "g2-standard-48",
        "idle_shutdown_seconds": 3600, "gcp": {"project": "tidegate"}}),
    declare(TrainingCompute, "custom", {
        **GCP, "instance_type": "a2-highgpu-1g", "capacity_type": "on-demand", "max_nodes": 2,
        "max_run_seconds": 3600, "gcp": {"project": "tidegate", "flex_start": True}}),
]

group = azure.resources.ResourceGroup("ml", resource_group_name="ml", location="eastus")
account = azure.storage.StorageAccount(
    "lab", account_name="tglab", resource_group_name=group.name, location="eastus",
    kind="StorageV2", sku={"name": "Standard_LRS"})
vault = azure.keyvault.Vault(
    "lab", vault_name="tglab", resource_group_name=group.name, location="eastus",
    properties={"sku": {"family": "A", "name": "standard"}, "access_policies": [],
                "tenant_id": "00000000-0000-0000-0000-000000000001"})
logs = azure.operationalinsights.Workspace(
    "lab", workspace_name="lab-logs", resource_group_name=group.name, location="eastus",
    retention_in_days=30, sku={"name": "PerGB2018"})
insights = azure.applicationinsights.Component(
    "lab", resource_name_="tglab", resource_group_name=group.name, location="eastus", kind="web",
    application_type="web", ingestion_mode="LogAnalytics",
    workspace_resource_id=logs.id)
lab = azure.machinelearningservices.Workspace(
    "lab", workspace_name="lab", resource_group_name=group.name, location="eastus",
    identity={"type": "SystemAssigned"}, storage_account=account.id, key_vault=vault.id,
    application_insights=insights.id, sku={"name": "Basic", "tier": "Basic"})
IN_LAB = {"workspace_name": lab.name}
declared += [
    declare(InferenceCapacity, "online", {
        **AZURE, "model": "llama", "min_replicas": 1, "max_replicas": 2,
        "azure": {"resource_group_name": group.name},
        "azure_ml": {**IN_LAB, "model_id": "azureml://registries/acme/models/llama/versions/1",
                     "instance_type": "Standard_NC24ads_A100_v4"}}),
    declare(Notebooks, "desk", {
        **AZURE, "instance_type": "Standard_NC24ads_A100_v4", "idle_shutdown_seconds": 3600,
        "azure": {**IN_LAB, "resource_group_name": group.name}}),
    declare(TrainingCompute, "cluster", {
        **AZURE, "instance_type": "Standard_NC24ads_A100_v4", "capacity_type": "spot",
        "max_nodes": config.get_int("most") or 4, "max_run_seconds": 3600,
        "checkpoint_uri": "azureml://datastores/work/paths/x",
        "azure": {**IN_LAB, "resource_group_name": group.name}}),
]

cluster = aws.eks.Cluster("serve", name="serve", role_arn=role.arn, vpc_config={"subnet_ids": ids})
kubeconfig = cluster.endpoint.apply(lambda server: json.dumps({
    "apiVersion": "v1", "kind": "Config", "current-context": "serve",
    "clusters": [{"name": "serve", "cluster": {"server": server}}],
    "contexts": [{"name": "serve", "context": {"cluster": "serve", "user": "serve"}}],
    "users": [{"name": "serve", "user": {"token": "t"}}],
}))
provider = k8s.Provider("serve", kubeconfig=kubeconfig)
declared.append(InferenceCapacity("chat", {
    **AWS, "model": "llama", "max_replicas": 4, "pool": "serve-l4", "elastic_pool": "burst-l4",
    "commitment": {"id": "chat-floor", "zone": "us-east-1b", "instance_type": "g6.12xlarge",
                   "units": 2, "acknowledge": AGREED},
    "kubernetes": {
        "image": "registry.example/serve:1", "accelerator": "l4",
        "trigger": {"type": "prometheus", "metadata": {
            "serverAddress": "http://prometheus", "query": "q", "threshold": "5"}}},
}, pulumi.ResourceOptions(providers=[provider])))
pulumi.export("bindings", pulumi.Output.all(*[each.bindings for each in declared]))
pulumi.export("settings", [each.settings for each in declared if hasattr(each, "settings")])
"""


def steps(preview: str) -> set[tuple[str, str]]:
    """Return (operation, type) of each step of a preview that changes something."""
    found = json.loads(preview)["steps"]
    return {
        (step["op"], step.get("newState", step.get("oldState"))["type"])
        for step in found
        if step["op"] != "same"
    }


def open_plans(project):
    return boto3.client(
        "savingsplans",
        region_name="us-east-1",
        endpoint_url=project.endpoints.aws_url,
        aws_access_key_id="tests",
        aws_secret_access_key="tests",
    )


def describe_plans(project):
    return open_plans(project).describe_savings_plans()["savingsPlans"]


def find_offering(project) -> str:
    found = open_plans(project).describe_savings_plans_offerings(
        planTypes=["SageMaker"], paymentOptions=["No Upfront"], durations=[31536000]
    )
    offering: str = found["searchResults"][0]["offeringId"]
    return offering


@pytest.mark.slow
def test_what_is_declared_comes_up_stays_and_goes(pulumi_project):
    project = pulumi_project(PROGRAM)
    project.run("stack", "init", "dev")
    for key, value in (
        ("aws:region", "us-east-1"),
        ("gcp:project", "tidegate"),
        ("offering", find_offering(project)),
    ):
        project.run("config", "set", key, value)

    project.run("up", "--yes", "--skip-preview")
    project.run("preview", "--expect-no-changes")

    # A renaming with an alias, other labels and other sizes replace nothing.
    for key, value in (("suffix", "2"), ("owner", "serving"), ("most", "6")):
        project.run("config", "set", key, value)
    changed = steps(project.run("preview", "--json"))
    assert {operation for operation, _ in changed} == {"update"}
    assert ("update", "aws:savingsplans/savingsPlan:SavingsPlan") in changed

    # Another machine moves the endpoint to another configuration, and stays where it is.
    project.run("config", "set", "machine", "ml.g5.2xlarge")
    replaced = {step for step in steps(project.run("preview", "--json")) if "replace" in step[0]}
    configuration = "aws:sagemaker/endpointConfiguration:EndpointConfiguration"
    assert {kind for _, kind in replaced} == {configuration}

    # Another amount would buy again: the engine refuses.
    project.run("config", "set", "amount", "21")
    assert "marked for protection" in project.run("preview", expect=1)

    # What is bought is protected, and kept once it is not.
    project.run("destroy", "--yes", "--skip-preview", expect=1)
    project.run("state", "unprotect", "--all", "--yes")
    project.run("destroy", "--yes", "--skip-preview")
    found = describe_plans(project)
    assert [(plan["state"], plan["commitment"]) for plan in found] == [("queued", "20")]
