"""What `pulumi up` makes, read back whole by Google's own API client over loopback."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import pytest
from google.auth.credentials import AnonymousCredentials
from google.cloud import storage
from googleapiclient.discovery import build
from googleapiclient.errors import HttpError
from support import gcp_inputs as given

from tidegate.localclouds.contracts import World
from tidegate.localclouds.faults import Fault, FaultKind
from tidegate.localclouds.gcp.cloud import build_gcp_cloud

PROJECT = f"projects/{given.PROJECT}"
LOCATION = f"{PROJECT}/locations/us-central1"


@pytest.fixture
def url(world: World, serve: Callable[..., str]) -> str:
    return serve(build_gcp_cloud(world))


@pytest.fixture
def engine(world: World, make_engine: Any) -> Any:
    made = make_engine(build_gcp_cloud(world), world, given.SETTINGS)
    given.declare_base(made)
    return made


@pytest.fixture
def api(url: str) -> Callable[[str, str], Any]:
    """Return a client of one of Google's APIs from its static discovery document."""

    def connect(name: str, version: str) -> Any:
        return build(
            name,
            version,
            client_options={"api_endpoint": url},
            credentials=AnonymousCredentials(),
            static_discovery=True,
            cache_discovery=False,
        )

    return connect


def up(engine: Any, case: str) -> Any:
    return engine.up(*given.EVERY_KIND[case], case)


def without(body: dict[str, Any], *names: str) -> dict[str, Any]:
    """Return a body without what changes from run to run."""
    return {key: value for key, value in body.items() if key not in names}


def test_topic_and_subscription_are_read_back_whole(engine: Any, api: Any) -> None:
    up(engine, "subscription")
    pubsub = api("pubsub", "v1").projects()
    assert pubsub.topics().get(topic=given.TOPIC_NAME).execute() == {
        "name": given.TOPIC_NAME,
        "labels": given.LABELS,
        "messageRetentionDuration": "86400s",
        "state": "ACTIVE",
    }
    name = f"{PROJECT}/subscriptions/preempted"
    assert pubsub.subscriptions().get(subscription=name).execute() == {
        "name": name,
        "topic": given.TOPIC_NAME,
        "ackDeadlineSeconds": 60,
        "deadLetterPolicy": {"deadLetterTopic": given.TOPIC_NAME, "maxDeliveryAttempts": 5},
        "expirationPolicy": {},
        "labels": given.LABELS,
        "messageRetentionDuration": "604800s",
        "pushConfig": {},
        "retryPolicy": {"minimumBackoff": "10s", "maximumBackoff": "600s"},
        "state": "ACTIVE",
    }
    listed = pubsub.topics().subscriptions().list(topic=given.TOPIC_NAME).execute()
    assert listed == {"subscriptions": [name]}


def test_what_the_client_changes_of_a_topic_shows_in_refresh(engine: Any, api: Any) -> None:
    made = up(engine, "topic")
    api("pubsub", "v1").projects().topics().patch(
        name=f"{PROJECT}/topics/alerts",
        body={"topic": {"labels": {"cost-center": "cc-7"}}, "updateMask": "labels"},
    ).execute()
    drifted = engine.refresh(given.TOPIC, made)
    assert drifted == {**made.inputs, "labels": {"cost-center": "cc-7"}}


def test_messages_are_pulled_acknowledged_and_come_again_when_they_are_not(
    engine: Any, api: Any
) -> None:
    up(engine, "subscription")
    pubsub = api("pubsub", "v1").projects()
    data = base64.b64encode(b"hello").decode()
    sent = (
        pubsub.topics()
        .publish(
            topic=given.TOPIC_NAME,
            body={"messages": [{"data": data, "attributes": {"a": "b"}}, {"data": data}]},
        )
        .execute()
    )
    name = f"{PROJECT}/subscriptions/preempted"
    subscriptions = pubsub.subscriptions()
    first = subscriptions.pull(subscription=name, body={"maxMessages": 10}).execute()
    received = first["receivedMessages"]
    assert [item["message"]["messageId"] for item in received] == sent["messageIds"]
    assert received[0]["message"]["attributes"] == {"a": "b"}
    assert subscriptions.pull(subscription=name, body={"maxMessages": 10}).execute() == {}
    kept, done = (item["ackId"] for item in received)
    subscriptions.acknowledge(subscription=name, body={"ackIds": [done]}).execute()
    subscriptions.modifyAckDeadline(
        subscription=name, body={"ackIds": [kept], "ackDeadlineSeconds": 0}
    ).execute()
    again = subscriptions.pull(subscription=name, body={"maxMessages": 10}).execute()
    assert [item["deliveryAttempt"] for item in again["receivedMessages"]] == [2]


def test_topic_of_the_same_name_is_another_topic_to_an_old_subscription(
    engine: Any, api: Any
) -> None:
    alerts = up(engine, "topic")
    engine.up(given.SUBSCRIPTION, {"name": "old", "topic": "alerts"}, "old")
    engine.destroy(given.TOPIC, alerts, "topic")
    up(engine, "topic")
    pubsub = api("pubsub", "v1").projects()
    pubsub.topics().publish(
        topic=f"{PROJECT}/topics/alerts", body={"messages": [{"data": "YQ=="}]}
    ).execute()
    name = f"{PROJECT}/subscriptions/old"
    shown = pubsub.subscriptions().get(subscription=name).execute()
    assert shown["topic"] == "_deleted-topic_"
    assert pubsub.subscriptions().pull(subscription=name, body={"maxMessages": 1}).execute() == {}


def test_sink_has_a_writer_identity_and_is_read_back_whole(engine: Any, api: Any) -> None:
    made = up(engine, "sink")
    project = api("cloudresourcemanager", "v1").projects().get(projectId=given.PROJECT).execute()
    writer = (
        f"serviceAccount:service-{project['projectNumber']}@gcp-sa-logging.iam.gserviceaccount.com"
    )
    assert made.outputs["writerIdentity"] == writer
    shown = api("logging", "v2").projects().sinks().get(sinkName=f"{PROJECT}/sinks/preempted")
    assert without(shown.execute(), "createTime", "updateTime") == {
        "name": "preempted",
        "resourceName": f"{PROJECT}/sinks/preempted",
        "destination": f"pubsub.googleapis.com/{given.TOPIC_NAME}",
        "filter": given.PREEMPTED,
        "exclusions": [{"name": "tests", "filter": 'resource.labels.zone="us-east1-b"'}],
        "writerIdentity": writer,
    }


def test_sink_without_an_identity_of_its_own_writes_as_everybody_does(engine: Any) -> None:
    token, inputs = given.EVERY_KIND["sink"]
    made = engine.up(token, {**inputs, "uniqueWriterIdentity": False})
    assert made.outputs["writerIdentity"] == "serviceAccount:cloud-logs@system.gserviceaccount.com"


def test_metric_is_read_back_whole(engine: Any, api: Any) -> None:
    up(engine, "metric")
    shown = api("logging", "v2").projects().metrics().list(parent=PROJECT).execute()["metrics"]
    assert [without(metric, "createTime", "updateTime") for metric in shown] == [
        {
            "name": "preemptions",
            "resourceName": f"{PROJECT}/metrics/preemptions",
            "filter": given.PREEMPTED,
            "metricDescriptor": {
                "name": f"{PROJECT}/metricDescriptors/logging.googleapis.com/user/preemptions",
                "type": "logging.googleapis.com/user/preemptions",
                "metricKind": "DELTA",
                "valueType": "DISTRIBUTION",
                "unit": "1",
                "labels": [{"key": "zone", "valueType": "STRING"}],
            },
            "labelExtractors": {"zone": "EXTRACT(resource.labels.zone)"},
            "valueExtractor": "EXTRACT(jsonPayload.seconds)",
            "bucketOptions": {"linearBuckets": {"numFiniteBuckets": 3, "width": 1, "offset": 1}},
        }
    ]


def test_custom_role_is_read_back_deleted_softly_and_comes_back(engine: Any, api: Any) -> None:
    made = up(engine, "role")
    roles = api("iam", "v1").projects().roles()
    name = f"{PROJECT}/roles/tidegateController"
    shown = roles.get(name=name).execute()
    assert without(shown, "etag") == {
        "name": name,
        "title": "Tidegate controller",
        "includedPermissions": ["container.clusters.get", "compute.instanceGroupManagers.update"],
        "stage": "GA",
    }
    engine.destroy(given.ROLE, made, "role")
    assert roles.get(name=name).execute()["deleted"] is True
    assert roles.list(parent=PROJECT).execute()["roles"] == []
    again = up(engine, "role")
    assert again.id == name
    assert "deleted" not in roles.get(name=name).execute()


def test_members_stand_in_the_policies_of_their_resources(engine: Any, api: Any) -> None:
    up(engine, "project-member")
    up(engine, "topic-member")
    up(engine, "account-member")
    projects = api("cloudresourcemanager", "v1").projects()
    policy = projects.getIamPolicy(resource=given.PROJECT, body={}).execute()
    assert policy["version"] == 3
    assert policy["bindings"] == [
        {
            "role": "roles/container.viewer",
            "members": [given.CONTROLLER],
            "condition": given.EVERY_KIND["project-member"][1]["condition"],
        }
    ]
    topics = api("pubsub", "v1").projects().topics()
    assert topics.getIamPolicy(resource=given.TOPIC_NAME).execute()["bindings"] == [
        {"role": "roles/pubsub.publisher", "members": [given.CONTROLLER]}
    ]
    accounts = api("iam", "v1").projects().serviceAccounts()
    account = f"{PROJECT}/serviceAccounts/{given.EMAIL}"
    assert accounts.getIamPolicy(resource=account).execute()["bindings"] == [
        {"role": "roles/iam.serviceAccountUser", "members": ["user:ops@example.com"]}
    ]


def test_member_of_a_bucket_is_read_by_the_storage_client(engine: Any, url: str) -> None:
    up(engine, "bucket-member")
    client = storage.Client(
        project=given.PROJECT,
        credentials=AnonymousCredentials(),
        client_options={"api_endpoint": url},
    )
    policy = client.bucket("tg-runs").get_iam_policy(requested_policy_version=3)
    assert policy.bindings == [
        {"role": "roles/storage.objectViewer", "members": {given.CONTROLLER}}
    ]


def test_role_taken_by_another_hand_is_gone_for_the_engine(engine: Any, api: Any) -> None:
    made = up(engine, "topic-member")
    topics = api("pubsub", "v1").projects().topics()
    policy = topics.getIamPolicy(resource=given.TOPIC_NAME).execute()
    body = {"policy": {"bindings": [], "etag": policy["etag"]}}
    topics.setIamPolicy(resource=given.TOPIC_NAME, body=body).execute()
    assert engine.refresh(given.TOPIC_MEMBER, made, "topic-member") is None
    with pytest.raises(HttpError, match="concurrent policy changes"):
        topics.setIamPolicy(resource=given.TOPIC_NAME, body=body).execute()


def test_budget_is_read_back_whole(engine: Any, api: Any) -> None:
    made = up(engine, "budget")
    budgets = api("billingbudgets", "v1").billingAccounts().budgets()
    assert without(budgets.get(name=made.id).execute(), "etag") == {
        "name": made.id,
        "displayName": "ml",
        "amount": {"specifiedAmount": {"currencyCode": "EUR", "units": "5000"}},
        "budgetFilter": {
            "projects": ["projects/123456789012"],
            "labels": {"cost-center": ["cc-42"]},
            "calendarPeriod": "MONTH",
            "creditTypesTreatment": "INCLUDE_ALL_CREDITS",
        },
        "thresholdRules": [
            {"thresholdPercent": 0.5, "spendBasis": "CURRENT_SPEND"},
            {"thresholdPercent": 1, "spendBasis": "FORECASTED_SPEND"},
        ],
        "notificationsRule": {"pubsubTopic": given.TOPIC_NAME, "schemaVersion": "1.0"},
    }
    listed = budgets.list(parent="billingAccounts/012345-6789AB-CDEF01").execute()
    assert [budget["name"] for budget in listed["budgets"]] == [made.id]


def test_channel_is_read_back_without_its_secrets(engine: Any, api: Any) -> None:
    made = engine.up(
        given.CHANNEL,
        {
            "type": "slack",
            "labels": {"channel_name": "#finops"},
            "sensitiveLabels": {"authToken": "xoxb-1"},
        },
    )
    channels = api("monitoring", "v3").projects().notificationChannels()
    assert channels.get(name=made.id).execute() == {
        "name": made.id,
        "type": "slack",
        "labels": {"channel_name": "#finops"},
        "enabled": True,
    }


def test_endpoint_and_its_resource_pool_are_read_back_whole(engine: Any, api: Any) -> None:
    endpoint, pool = up(engine, "endpoint"), up(engine, "resource-pool")
    locations = api("aiplatform", "v1").projects().locations()
    shown = locations.endpoints().get(name=endpoint.id).execute()
    assert without(shown, "createTime", "updateTime", "etag") == {
        "name": f"{LOCATION}/endpoints/chat",
        "displayName": "chat",
        "labels": given.LABELS,
        "trafficSplit": {},
    }
    resources = given.EVERY_KIND["resource-pool"][1]["dedicatedResources"]
    shown = locations.deploymentResourcePools().get(name=pool.id).execute()
    assert without(shown, "createTime") == {
        "name": f"{LOCATION}/deploymentResourcePools/l4",
        "dedicatedResources": resources,
    }


def test_model_is_deployed_scaled_and_keeps_its_endpoint_from_deletion(
    engine: Any, api: Any
) -> None:
    endpoint, pool = up(engine, "endpoint"), up(engine, "resource-pool")
    endpoints = api("aiplatform", "v1").projects().locations().endpoints()
    deployed = {
        "model": f"{LOCATION}/models/1",
        "dedicatedResources": {
            "minReplicaCount": 1,
            "maxReplicaCount": 2,
            "machineSpec": {"machineType": "n1-standard-8"},
        },
    }
    operation = endpoints.deployModel(
        endpoint=endpoint.id, body={"deployedModel": deployed, "trafficSplit": {"0": 100}}
    ).execute()
    key = operation["response"]["deployedModel"]["id"]
    shared = {"model": f"{LOCATION}/models/2", "sharedResources": pool.id, "id": "22"}
    endpoints.deployModel(endpoint=endpoint.id, body={"deployedModel": shared}).execute()
    endpoints.mutateDeployedModel(
        endpoint=endpoint.id,
        body={
            "deployedModel": {"id": key, "dedicatedResources": {"maxReplicaCount": 5}},
            "updateMask": "dedicatedResources.maxReplicaCount",
        },
    ).execute()
    shown = endpoints.get(name=endpoint.id).execute()
    assert shown["trafficSplit"] == {key: 100}
    assert [model["id"] for model in shown["deployedModels"]] == [key, "22"]
    assert shown["deployedModels"][0]["dedicatedResources"]["maxReplicaCount"] == 5
    with pytest.raises(HttpError, match="already being used by 'deployed model"):
        endpoints.delete(name=endpoint.id).execute()
    pools = api("aiplatform", "v1").projects().locations().deploymentResourcePools()
    with pytest.raises(HttpError, match="already being used by"):
        pools.delete(name=pool.id).execute()
    for model in ("22", key):
        endpoints.undeployModel(endpoint=endpoint.id, body={"deployedModelId": model}).execute()
    deleted = endpoints.delete(name=endpoint.id).execute()
    again = endpoints.operations().get(name=deleted["name"]).execute()
    assert again["done"] is True


def test_model_on_an_absent_resource_pool_is_refused(engine: Any, api: Any) -> None:
    endpoint = up(engine, "endpoint")
    body = {"deployedModel": {"model": "m", "sharedResources": f"{LOCATION}/x/absent"}}
    endpoints = api("aiplatform", "v1").projects().locations().endpoints()
    with pytest.raises(HttpError, match="absent' was not found"):
        endpoints.deployModel(endpoint=endpoint.id, body=body).execute()


def test_notebook_is_read_back_whole_stopped_and_started(engine: Any, api: Any) -> None:
    made = up(engine, "notebook")
    instances = api("notebooks", "v2").projects().locations().instances()
    shown = instances.get(name=made.id).execute()
    setup = given.EVERY_KIND["notebook"][1]["gceSetup"]
    assert shown["labels"] == given.LABELS
    assert shown["state"] == "ACTIVE"
    assert shown["gceSetup"] == {
        **setup,
        "bootDisk": {**setup["bootDisk"], "diskEncryption": "GMEK"},
        "dataDisks": [setup["dataDisks"]],
        "networkInterfaces": [{"network": f"{PROJECT}/global/networks/default"}],
    }
    instances.stop(name=made.id, body={}).execute()
    assert instances.get(name=made.id).execute()["state"] == "STOPPED"
    # Who stopped it for being idle is not undone by the next refresh and `up`.
    assert engine.refresh(given.NOTEBOOK, made, "notebook") == made.inputs
    operation = instances.start(name=made.id, body={}).execute()
    assert instances.get(name=made.id).execute()["state"] == "ACTIVE"
    operations = api("notebooks", "v2").projects().locations().operations()
    assert operations.get(name=operation["name"]).execute()["done"] is True


def test_declared_state_stops_a_notebook(engine: Any, api: Any) -> None:
    made = up(engine, "notebook")
    token, inputs = given.EVERY_KIND["notebook"]
    engine.change(token, made, {**inputs, "desiredState": "STOPPED"}, "notebook")
    instances = api("notebooks", "v2").projects().locations().instances()
    assert instances.get(name=made.id).execute()["state"] == "STOPPED"


def test_protected_notebook_is_not_deleted(engine: Any, api: Any) -> None:
    token, inputs = given.EVERY_KIND["notebook"]
    made = engine.up(token, {**inputs, "enableDeletionProtection": True})
    instances = api("notebooks", "v2").projects().locations().instances()
    with pytest.raises(HttpError, match="enable_deletion_protection"):
        instances.delete(name=made.id).execute()


@pytest.mark.parametrize(
    ("service", "version", "call", "names"),
    [
        ("pubsub", "v1", "topics", ["topics/by-hand"]),
        ("logging", "v2", "metrics", ["by-hand"]),
        ("monitoring", "v3", "notificationChannels", None),
    ],
)
def test_client_makes_lists_and_deletes(
    url: str, api: Any, service: str, version: str, call: str, names: list[str] | None
) -> None:
    resource = getattr(api(service, version).projects(), call)()
    bodies: dict[str, dict[str, Any]] = {
        "topics": {},
        "metrics": {"name": "by-hand", "filter": "severity>=ERROR"},
        "notificationChannels": {"type": "email", "labels": {"email_address": "a@b.c"}},
    }
    if call == "topics":
        made = resource.create(name=f"{PROJECT}/topics/by-hand", body={}).execute()
    elif call == "metrics":
        made = resource.create(parent=PROJECT, body=bodies[call]).execute()
    else:
        made = resource.create(name=PROJECT, body=bodies[call]).execute()
    parents = {"topics": "project", "metrics": "parent", "notificationChannels": "name"}
    listed = resource.list(**{parents[call]: PROJECT}).execute()
    (found,) = listed[call]
    assert found == made
    if names:
        assert made["name"].endswith(names[0])
    keys = {"topics": "topic", "metrics": "metricName", "notificationChannels": "name"}
    full = made["name"] if call != "metrics" else f"{PROJECT}/metrics/by-hand"
    resource.delete(**{keys[call]: full}).execute()
    assert resource.list(**{parents[call]: PROJECT}).execute() == {}


def test_service_account_made_by_the_client_can_be_granted_a_role(engine: Any, api: Any) -> None:
    accounts = api("iam", "v1").projects().serviceAccounts()
    made = accounts.create(
        name=PROJECT,
        body={"accountId": "by-hand", "serviceAccount": {"displayName": "By hand"}},
    ).execute()
    engine.up(
        given.TOPIC_MEMBER,
        {
            "topic": "preempted",
            "role": "roles/pubsub.subscriber",
            "member": f"serviceAccount:{made['email']}",
        },
    )
    assert made["displayName"] == "By hand"
    with pytest.raises(HttpError, match="already exists"):
        accounts.create(name=PROJECT, body={"accountId": "by-hand"}).execute()


def test_throttled_publishing_answers_429(world: World, engine: Any, api: Any) -> None:
    world.faults.add(Fault(FaultKind.THROTTLING, cloud="gcp", target="pubsub:Publish"))
    topics = api("pubsub", "v1").projects().topics()
    with pytest.raises(HttpError) as caught:
        topics.publish(topic=given.TOPIC_NAME, body={"messages": [{"data": "YQ=="}]}).execute()
    assert caught.value.resp.status == 429


def test_message_tried_too_often_moves_to_the_dead_letter_topic(engine: Any, api: Any) -> None:
    up(engine, "topic")
    engine.up(given.SUBSCRIPTION, {"name": "dead", "topic": "alerts"}, "dead")
    engine.up(
        given.SUBSCRIPTION,
        {
            "name": "live",
            "topic": given.TOPIC_NAME,
            "deadLetterPolicy": {
                "deadLetterTopic": f"{PROJECT}/topics/alerts",
                "maxDeliveryAttempts": 5,
            },
        },
        "live",
    )
    pubsub = api("pubsub", "v1").projects()
    pubsub.topics().publish(topic=given.TOPIC_NAME, body={"messages": [{"data": "YQ=="}]}).execute()
    live = f"{PROJECT}/subscriptions/live"
    for attempt in range(1, 6):
        pulled = pubsub.subscriptions().pull(subscription=live, body={"maxMessages": 1}).execute()
        (item,) = pulled["receivedMessages"]
        assert item["deliveryAttempt"] == attempt
        pubsub.subscriptions().modifyAckDeadline(
            subscription=live, body={"ackIds": [item["ackId"]], "ackDeadlineSeconds": 0}
        ).execute()
    assert pubsub.subscriptions().pull(subscription=live, body={"maxMessages": 1}).execute() == {}
    dead = pubsub.subscriptions().pull(
        subscription=f"{PROJECT}/subscriptions/dead", body={"maxMessages": 1}
    )
    assert dead.execute()["receivedMessages"][0]["message"]["data"] == "YQ=="
