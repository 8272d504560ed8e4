"""Notebooks and endpoints of every kind, stopped and sized by the clouds' own SDKs."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from googleapiclient.errors import HttpError
from support import gcp_inputs as google
from support.aws_sagemaker import CONFIGURATION, DOMAIN, ENDPOINT, NOTEBOOK, PROFILE, SPACE, variant
from support.azure_types import (
    COMPUTE,
    DEPLOYMENT,
    GROUP,
    INPUTS,
    SETTINGS,
    build_on,
    change,
)
from support.azure_types import ENDPOINT as ONLINE_ENDPOINT
from support.controller import declare_pool

from tidegate.clouds.azure.endpoints import reroute
from tidegate.clouds.bound_pools import BoundPools
from tidegate.clouds.bound_reapables import BoundReapables
from tidegate.localclouds.azure.cloud import build_azure_cloud
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud
from tidegate.manifest.model import Endpoint, Notebook
from tidegate.vocabulary.fleet_state import CloudRefused, RefusalKind
from tidegate.vocabulary.reaping import ReapablePhase

AWS = {"cloud": "aws", "region": "us-east-1", "labels": {}}
GCP = {"cloud": "gcp", "region": "us-central1", "labels": {}}
AZURE = {"cloud": "azure", "region": "westeurope", "labels": {}}
LOCATION = f"projects/{google.PROJECT}/locations/us-central1"


def notebook(id, kind, place):
    return Notebook(id=id, kind=kind, instance_type="any", **place)


def endpoint(id, kind, place, **more):
    return Endpoint(id=id, kind=kind, min_replicas=0, max_replicas=4, **place, **more)


def look(reapables, name):
    state = reapables.fetch_state(name)
    return state.phase, state.size


def is_recent(moment):
    return moment is not None and abs(datetime.now(UTC) - moment) < timedelta(minutes=5)


def refusal_of(call, *arguments):
    with pytest.raises(CloudRefused) as refused:
        call(*arguments)
    return refused.value.kind


@pytest.fixture
def on_aws(aws, boto, base, monkeypatch):
    """Return what binds notebooks and endpoints of AWS."""
    monkeypatch.setattr(
        "tidegate.clouds.aws.clients.build_client", lambda service, _region: boto(service)
    )
    yield BoundReapables
    aws.world.faults.clear()


def test_a_notebook_instance_is_stopped_once(on_aws, aws, base, sagemaker):
    inputs = {"name": "reap", "roleArn": base.role, "instanceType": "ml.g5.xlarge"}
    aws.up(NOTEBOOK, inputs, "reap")
    desk = notebook("desk", "sagemaker-notebook-instance", AWS)
    reapables = on_aws([desk], {"notebook/desk": {"notebookInstance": "reap"}})

    state = reapables.fetch_state("notebook/desk")
    assert (state.phase, state.size, state.smallest) == (ReapablePhase.RUNNING, 1, 0)
    assert is_recent(state.since)
    reapables.apply_stop("notebook/desk")
    reapables.apply_stop("notebook/desk")

    assert look(reapables, "notebook/desk") == (ReapablePhase.STOPPED, 0)
    shown = sagemaker.describe_notebook_instance(NotebookInstanceName="reap")
    assert shown["NotebookInstanceStatus"] == "Stopped"


def test_an_instance_that_does_not_run_cannot_be_stopped_by_name(aws, base, sagemaker):
    inputs = {"name": "halted", "roleArn": base.role, "instanceType": "ml.g5.xlarge"}
    aws.up(NOTEBOOK, inputs, "halted")
    sagemaker.stop_notebook_instance(NotebookInstanceName="halted")

    with pytest.raises(sagemaker.exceptions.ClientError, match=r"not in \(\[InService\]\)"):
        sagemaker.stop_notebook_instance(NotebookInstanceName="halted")


@pytest.fixture
def studio(aws, base, sagemaker):
    """A Studio user with an app on the profile and one in a space of its own."""
    settings = {"executionRole": base.role}
    domain = aws.up(
        DOMAIN,
        {
            "domainName": "reaped",
            "authMode": "IAM",
            "vpcId": base.vpc,
            "subnetIds": base.subnets[:1],
            "defaultUserSettings": settings,
        },
        "reaped",
    )
    made = [(DOMAIN, domain, "reaped")]
    for name in ("ada", "eve"):
        user = {"domainId": domain.id, "userProfileName": name}
        made.append((PROFILE, aws.up(PROFILE, user, f"reaped-{name}"), f"reaped-{name}"))
        space = {
            "domainId": domain.id,
            "spaceName": f"lab-{name}",
            "ownershipSettings": {"ownerUserProfileName": name},
            "spaceSharingSettings": {"sharingType": "Private"},
            "spaceSettings": {"appType": "JupyterLab"},
        }
        made.append((SPACE, aws.up(SPACE, space, f"lab-{name}"), f"lab-{name}"))
        place = {"DomainId": domain.id, "SpaceName": f"lab-{name}"}
        sagemaker.create_app(**place, AppType="JupyterLab", AppName="default")
    place = {"DomainId": domain.id, "UserProfileName": "ada"}
    sagemaker.create_app(**place, AppType="KernelGateway", AppName="gpu")
    sagemaker.create_app(**place, AppType="JupyterServer", AppName="default")
    yield domain.id
    for app in sagemaker.list_apps(DomainIdEquals=domain.id)["Apps"]:
        names = ("DomainId", "UserProfileName", "SpaceName", "AppType", "AppName")
        sagemaker.delete_app(**{name: app[name] for name in names if app.get(name)})
    for token, one, name in reversed(made):
        aws.destroy(token, one, name)


def test_the_apps_of_one_studio_user_end_and_nobody_elses(on_aws, studio, sagemaker):
    desk = notebook("desk", "sagemaker-studio", AWS)
    binding = {"domain": studio, "userProfile": "ada"}
    reapables = on_aws([desk], {"notebook/desk": binding})

    state = reapables.fetch_state("notebook/desk")
    assert (state.phase, state.size) == (ReapablePhase.RUNNING, 2)
    assert is_recent(state.active_at)
    assert is_recent(state.since)
    reapables.apply_stop("notebook/desk")

    assert look(reapables, "notebook/desk") == (ReapablePhase.STOPPED, 0)
    left = sagemaker.list_apps(DomainIdEquals=studio)["Apps"]
    assert {(app["AppType"], app.get("SpaceName")) for app in left} == {
        ("JupyterServer", None),
        ("JupyterLab", "lab-eve"),
    }


def test_a_variant_keeps_an_instance_unless_answers_wait_in_a_bucket(on_aws, aws, model):
    reapables = {}
    for name, more in (("plain", {}), ("queued", {"s3OutputPath": "s3://answers/x"})):
        inputs = {"productionVariants": [variant(model, initialInstanceCount=3)]}
        if more:
            inputs["asyncInferenceConfig"] = {"outputConfig": more}
        configuration = aws.up(CONFIGURATION, inputs, f"reap-{name}")
        aws.up(ENDPOINT, {"endpointConfigName": configuration.id, "name": f"reap-{name}"}, name)
        declared = endpoint(name, "sagemaker-variant", AWS, target={"variant": "main"})
        binding = {f"endpoint/{name}": {"endpoint": f"reap-{name}"}}
        reapables[name] = on_aws([declared], binding)

    assert look(reapables["plain"], "endpoint/plain") == (ReapablePhase.RUNNING, 3)
    reapables["plain"].apply_size("endpoint/plain", 3, 1)
    reapables["plain"].apply_size("endpoint/plain", 3, 1)
    refused = refusal_of(reapables["plain"].apply_size, "endpoint/plain", 1, 0)
    reapables["queued"].apply_size("endpoint/queued", 3, 0)

    assert refused is RefusalKind.INVALID
    assert look(reapables["plain"], "endpoint/plain") == (ReapablePhase.RUNNING, 1)
    assert look(reapables["queued"], "endpoint/queued") == (ReapablePhase.STOPPED, 0)
    assert refusal_of(reapables["queued"].apply_size, "endpoint/queued", 3, 1) is (
        RefusalKind.CONFLICT
    )
    assert refusal_of(reapables["plain"].apply_removal, "endpoint/plain") is RefusalKind.INVALID


def test_the_cloud_itself_refuses_a_real_time_variant_without_an_instance(serve_model, sagemaker):
    serve_model("never-zero")
    change = {"VariantName": "main", "DesiredInstanceCount": 0}

    with pytest.raises(sagemaker.exceptions.ClientError, match="needs an instance"):
        sagemaker.update_endpoint_weights_and_capacities(
            EndpointName="never-zero", DesiredWeightsAndCapacities=[change]
        )


def test_copies_of_an_inference_component_go_to_none_and_back(on_aws, aws, base, model, sagemaker):
    hosting = {
        "variantName": "main",
        "instanceType": "ml.g5.xlarge",
        "initialInstanceCount": 1,
        "managedInstanceScaling": {
            "status": "ENABLED", "minInstanceCount": 0, "maxInstanceCount": 2,
        },
        "routingConfigs": [{"routingStrategy": "LEAST_OUTSTANDING_REQUESTS"}],
    }  # fmt: skip
    inputs = {"productionVariants": [hosting], "executionRoleArn": base.role}
    configuration = aws.up(CONFIGURATION, inputs, "hosting")
    aws.up(ENDPOINT, {"endpointConfigName": configuration.id, "name": "hosting"}, "hosting")
    sagemaker.create_inference_component(
        InferenceComponentName="chat-llama",
        EndpointName="hosting",
        VariantName="main",
        Specification={"ModelName": model.id},
        RuntimeConfig={"CopyCount": 2},
    )
    target = {"variant": "main", "inferenceComponent": "chat-llama"}
    declared = endpoint("chat", "sagemaker-inference-component", AWS, target=target)
    reapables = on_aws([declared], {"endpoint/chat": {"endpoint": "hosting"}})

    sizes = [look(reapables, "endpoint/chat")]
    for seen, wanted in ((2, 0), (0, 1)):
        reapables.apply_size("endpoint/chat", seen, wanted)
        sizes.append(look(reapables, "endpoint/chat"))
    reapables.apply_removal("endpoint/chat")
    sizes.append(look(reapables, "endpoint/chat"))

    running, stopped = ReapablePhase.RUNNING, ReapablePhase.STOPPED
    assert sizes == [(running, 2), (stopped, 0), (running, 1), (stopped, 0)]


def test_a_component_is_refused_on_a_variant_with_a_model_of_its_own(serve_model, sagemaker):
    serve_model("modelled")

    with pytest.raises(sagemaker.exceptions.ClientError, match="hosts no components"):
        sagemaker.create_inference_component(
            InferenceComponentName="lost", EndpointName="modelled", VariantName="main"
        )


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(FaultKind.THROTTLING, RefusalKind.THROTTLED), (FaultKind.QUOTA, RefusalKind.QUOTA)],
)
def test_aws_says_how_it_refuses_an_endpoint(on_aws, aws, serve_model, fault, kind):
    serve_model("refusing")
    aws.world.faults.add(Fault(fault, "aws", "sagemaker:UpdateEndpointWeightsAndCapacities"))
    declared = endpoint("chat", "sagemaker-variant", AWS)
    reapables = on_aws([declared], {"endpoint/chat": {"endpoint": "refusing"}})

    assert refusal_of(reapables.apply_size, "endpoint/chat", 1, 2) is kind


@pytest.mark.parametrize(
    ("declared", "binding"),
    [
        (notebook("x", "sagemaker-notebook-instance", AWS), {"notebookInstance": "nobody"}),
        (notebook("x", "sagemaker-studio", AWS), {"userProfile": "ada"}),
        (endpoint("x", "sagemaker-variant", AWS), {"endpoint": "nobody"}),
        (endpoint("x", "sagemaker-inference-component", AWS), {"endpoint": "nobody"}),
    ],
    ids=["instance", "studio-without-domain", "variant", "unnamed-component"],
)
def test_what_is_gone_or_not_named_is_not_found(on_aws, declared, binding):
    name = f"{'notebook' if isinstance(declared, Notebook) else 'endpoint'}/x"

    assert refusal_of(on_aws([declared], {name: binding}).fetch_state, name) is (
        RefusalKind.NOT_FOUND
    )


def test_a_deployment_of_kubernetes_is_not_sized_here(on_aws):
    declared = endpoint("chat", "kubernetes-deployment", AWS)
    binding = {"endpoint/chat": {"namespace": "serving", "deployment": "chat"}}

    assert refusal_of(on_aws([declared], binding).fetch_state, "endpoint/chat") is (
        RefusalKind.INVALID
    )


@pytest.fixture
def on_gcp(world, serve, make_engine):
    """Return a Google engine, and what binds to its face."""
    cloud = build_gcp_cloud(world)
    engine = make_engine(cloud, world, google.SETTINGS)
    url = serve(cloud)
    return engine, lambda declared, bindings: BoundReapables(declared, bindings, {"gcp": url})


def test_a_workbench_instance_is_stopped_once(on_gcp):
    engine, bind = on_gcp
    engine.up(google.ACCOUNT, {"accountId": "nodes-of-pool"}, "account")
    made = engine.up(*google.EVERY_KIND["notebook"], "notebook")
    desk = notebook("desk", "vertex-workbench", GCP)
    reapables = bind([desk], {"notebook/desk": {"id": made.id}})

    state = reapables.fetch_state("notebook/desk")
    assert (state.phase, state.size) == (ReapablePhase.RUNNING, 1)
    assert is_recent(state.since)
    reapables.apply_stop("notebook/desk")
    reapables.apply_stop("notebook/desk")
    assert look(reapables, "notebook/desk") == (ReapablePhase.STOPPED, 0)


@pytest.fixture
def vertex(on_gcp):
    """An endpoint with a model on a shared pool, and one with machines of its own."""
    engine, bind = on_gcp
    made = engine.up(*google.EVERY_KIND["endpoint"], "endpoint")
    pool = engine.up(*google.EVERY_KIND["resource-pool"], "pool")
    binding = {"endpoint": made.id, "resourcePool": pool.id}
    declared = endpoint("chat", "vertex-resource-pool", GCP)
    reapables = bind([declared], {"endpoint/chat": binding})
    locations = reapables._clients.vertex("us-central1").projects().locations()
    own = {
        "model": f"{LOCATION}/models/1",
        "id": "11",
        "dedicatedResources": {
            "minReplicaCount": 2,
            "maxReplicaCount": 4,
            "machineSpec": {"machineType": "n1-standard-8"},
        },
    }
    shared = {"model": f"{LOCATION}/models/2", "id": "22", "sharedResources": pool.id}
    bodies = (
        {"deployedModel": own, "trafficSplit": {"0": 100}},
        {"deployedModel": shared, "trafficSplit": {"11": 50, "0": 50}},
    )
    for body in bodies:
        locations.endpoints().deployModel(endpoint=made.id, body=body).execute()
    return reapables, locations, binding


def test_a_vertex_endpoint_is_sized_over_its_deployments_and_keeps_one_each(vertex):
    reapables, locations, binding = vertex
    state = reapables.fetch_state("endpoint/chat")
    assert (state.phase, state.size, state.smallest) == (ReapablePhase.RUNNING, 3, 2)
    assert is_recent(state.since)

    reapables.apply_size("endpoint/chat", 3, 2)

    assert refusal_of(reapables.apply_size, "endpoint/chat", 2, 0) is RefusalKind.INVALID
    shown = locations.endpoints().get(name=binding["endpoint"]).execute()["deployedModels"][0]
    pools = locations.deploymentResourcePools()
    pool = pools.get(name=binding["resourcePool"]).execute()
    assert shown["dedicatedResources"]["minReplicaCount"] == 1
    assert shown["dedicatedResources"]["maxReplicaCount"] == 4
    assert pool["dedicatedResources"]["minReplicaCount"] == 1
    assert pool["dedicatedResources"]["maxReplicaCount"] == 4


def test_a_vertex_endpoint_goes_to_nothing_by_undeploying_with_its_traffic_led_on(vertex):
    reapables, locations, binding = vertex

    reapables.apply_removal("endpoint/chat")
    reapables.apply_removal("endpoint/chat")

    assert look(reapables, "endpoint/chat") == (ReapablePhase.STOPPED, 0)
    shown = locations.endpoints().get(name=binding["endpoint"]).execute()
    assert (shown["deployedModels"], shown["trafficSplit"]) == ([], {})


def test_a_model_with_traffic_is_not_undeployed_while_another_could_take_it(vertex):
    _, locations, binding = vertex
    body = {"deployedModelId": "11"}

    with pytest.raises(HttpError, match="gets traffic"):
        locations.endpoints().undeployModel(endpoint=binding["endpoint"], body=body).execute()


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (FaultKind.STOCK_OUT, RefusalKind.STOCK_OUT),
        (FaultKind.QUOTA, RefusalKind.QUOTA),
        (FaultKind.THROTTLING, RefusalKind.THROTTLED),
    ],
)
def test_google_says_how_it_refuses_an_endpoint(vertex, world, fault, kind):
    reapables, _, _ = vertex
    action = "aiplatform:Endpoint.mutateDeployedModel"
    world.faults.add(Fault(fault, "gcp", action, count=None))

    assert refusal_of(reapables.apply_size, "endpoint/chat", 3, 4) is kind


def test_what_is_gone_on_google_is_not_found_and_an_unreachable_cloud_is_transient(on_gcp):
    _, bind = on_gcp
    desk = notebook("desk", "vertex-workbench", GCP)
    gone = bind([desk], {"notebook/desk": {"id": f"{LOCATION}-a/instances/nobody"}})
    away = BoundReapables(
        [desk],
        {"notebook/desk": {"id": f"{LOCATION}-a/instances/nobody"}},
        {"gcp": "http://127.0.0.1:9"},
    )

    assert refusal_of(gone.fetch_state, "notebook/desk") is RefusalKind.NOT_FOUND
    assert refusal_of(away.fetch_state, "notebook/desk") is RefusalKind.TRANSIENT


def test_without_credentials_a_cloud_is_denied_and_keeps_no_other_from_being_read(monkeypatch):
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "/nowhere")
    binding = {"id": f"{LOCATION}-a/instances/desk"}
    desk = notebook("desk", "vertex-workbench", GCP)
    pool = declare_pool("train", cloud="gcp", kind="gke-node-pool", region="us-central1")
    names = {"project": "p", "location": "us-central1", "cluster": "c", "nodePool": "train"}
    pools = BoundPools([pool], {"train": names})

    reapables = BoundReapables([desk], {"notebook/desk": binding})

    assert refusal_of(reapables.fetch_state, "notebook/desk") is RefusalKind.DENIED
    assert refusal_of(pools.fetch_state, "train") is RefusalKind.DENIED


@pytest.fixture
def on_azure(world, serve, make_engine):
    """Return an Azure engine, and what binds to its face."""
    cloud = build_azure_cloud(world)
    engine = make_engine(cloud, world, SETTINGS)
    engine.up(GROUP, {"resourceGroupName": "ml"}, "group")
    url = serve(cloud)
    return engine, lambda declared, bindings: BoundReapables(declared, bindings, {"azure": url})


def test_a_compute_instance_is_stopped_once(on_azure):
    engine, bind = on_azure
    build_on(engine, COMPUTE)
    instance = {"computeType": "ComputeInstance", "properties": {"vmSize": "Standard_D4s_v5"}}
    made = engine.up(COMPUTE, change(COMPUTE, computeName="desk", properties=instance))
    desk = notebook("desk", "azure-ml-compute-instance", AZURE)
    reapables = bind([desk], {"notebook/desk": {"id": made.id}})

    state = reapables.fetch_state("notebook/desk")
    assert (state.phase, state.size, state.is_busy) == (ReapablePhase.RUNNING, 1, False)
    assert is_recent(state.since)
    reapables.apply_stop("notebook/desk")
    reapables.apply_stop("notebook/desk")
    assert look(reapables, "notebook/desk") == (ReapablePhase.STOPPED, 0)


@pytest.fixture
def deployments(on_azure):
    """Two deployments of one endpoint, of which the first is declared."""
    engine, bind = on_azure
    build_on(engine, DEPLOYMENT)
    blue = engine.up(DEPLOYMENT, INPUTS[DEPLOYMENT], "blue")
    engine.up(DEPLOYMENT, change(DEPLOYMENT, deploymentName="green"), "green")
    declared = endpoint("chat", "azure-ml-deployment", AZURE)
    reapables = bind([declared], {"endpoint/chat": {"deployment": blue.id}})
    return engine, reapables, blue


def test_a_managed_deployment_is_sized_and_keeps_one_instance(deployments):
    engine, reapables, blue = deployments
    state = reapables.fetch_state("endpoint/chat")
    assert (state.phase, state.size, state.smallest) == (ReapablePhase.RUNNING, 2, 1)
    assert is_recent(state.since)

    reapables.apply_size("endpoint/chat", 2, 1)
    reapables.apply_size("endpoint/chat", 2, 1)

    assert refusal_of(reapables.apply_size, "endpoint/chat", 1, 0) is RefusalKind.INVALID
    assert engine.refresh(DEPLOYMENT, blue, "blue")["sku"]["capacity"] == 1


def test_a_deployment_is_taken_away_after_its_traffic(deployments):
    engine, reapables, blue = deployments
    traffic = {"properties": {"authMode": "AADToken", "traffic": {"blue": 70, "green": 30}}}
    arm = reapables._clients.arm()
    name = blue.id.partition("/deployments/")[0]
    arm.begin_put(name, "2024-10-01", {**arm.get(name, "2024-10-01"), **traffic}).result()

    reapables.apply_removal("endpoint/chat")
    reapables.apply_removal("endpoint/chat")

    assert look(reapables, "endpoint/chat") == (ReapablePhase.STOPPED, 0)
    assert engine.refresh(DEPLOYMENT, blue, "blue") is None
    assert arm.get(name, "2024-10-01")["properties"]["traffic"] == {"green": 100}


def test_traffic_is_led_to_what_had_most_of_the_rest():
    assert reroute({"blue": 20, "green": 30, "red": 50}, "blue") == {"green": 30, "red": 70}
    assert reroute({"blue": 100, "green": 0}, "blue") == {"green": 0}
    assert reroute({"blue": 100}, "blue") == {}


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(FaultKind.STOCK_OUT, RefusalKind.STOCK_OUT), (FaultKind.QUOTA, RefusalKind.QUOTA)],
)
def test_azure_says_how_it_refuses_a_deployment(deployments, world, fault, kind):
    _, reapables, _ = deployments
    world.faults.add(Fault(fault, "azure-native", f"{TYPE_OF_DEPLOYMENT}/write"))

    assert refusal_of(reapables.apply_size, "endpoint/chat", 2, 4) is kind


TYPE_OF_DEPLOYMENT = "Microsoft.MachineLearningServices/workspaces/onlineEndpoints/deployments"


def test_an_endpoint_that_is_gone_is_not_found_and_no_stopped_deployment(deployments):
    engine, reapables, blue = deployments
    engine.destroy(ONLINE_ENDPOINT, type(blue)(blue.id.partition("/deployments/")[0], {}, {}))

    assert refusal_of(reapables.fetch_state, "endpoint/chat") is RefusalKind.NOT_FOUND


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ({"AppType": "JupyterLab", "UserProfileName": "ada"}, "needs a SpaceName"),
        ({"AppType": "KernelGateway"}, "Exactly one of"),
        ({"AppType": "KernelGateway", "UserProfileName": "bob"}, "bob does not exist"),
        ({"AppType": "KernelGateway", "UserProfileName": "ada", "AppName": "gpu"}, "exists"),
    ],
)
def test_an_app_that_studio_would_not_start_is_refused(studio, sagemaker, names, says):
    asked = {"DomainId": studio, "AppName": "other", **names}

    with pytest.raises(sagemaker.exceptions.ClientError, match=says):
        sagemaker.create_app(**asked)


def test_apps_are_listed_of_a_user_or_of_a_space(studio, sagemaker):
    with pytest.raises(sagemaker.exceptions.ClientError, match="excludes"):
        sagemaker.list_apps(
            DomainIdEquals=studio, UserProfileNameEquals="ada", SpaceNameEquals="lab-ada"
        )
