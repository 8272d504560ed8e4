"""Interruption notices on Google Cloud: audit entries of preemptions into a subscription."""

from __future__ import annotations

from typing import Any

import pulumi

from tidegate.sdks.imports import narrow_imports
from tidegate_components.children import child_options
from tidegate_components.names import derive_name
from tidegate_components.spot_group.naming import LOG_SINK, PUBSUB
from tidegate_components.spot_group.spec import SpotSpec

with narrow_imports("pulumi_gcp.logging", "pulumi_gcp.pubsub"):
    from pulumi_gcp.logging.project_sink import ProjectSink
    from pulumi_gcp.pubsub.subscription import Subscription
    from pulumi_gcp.pubsub.topic import Topic
    from pulumi_gcp.pubsub.topic_iam_member import TopicIAMMember

METHODS = ("compute.instances.preempted", "compute.instances.hostError")
"""Compute Engine's own entries about a machine that it takes away."""
RETENTION = "600s"
"""The shortest that Pub/Sub keeps; a preempted machine has gone after 30 seconds."""


def declare_notices(
    parent: pulumi.ComponentResource,
    spec: SpotSpec,
    base_instance_name: pulumi.Output[str],
    inputs: dict[str, Any],
    opts: pulumi.ResourceOptions | None,
) -> dict[str, pulumi.Input[str]]:
    """Declare the subscription and what fills it; return the subscription's identity."""
    name = f"{derive_name(spec.id, PUBSUB)}-interruptions"
    topic = Topic(
        name,
        project=inputs["project"],
        labels=spec.cost_labels,
        opts=child_options(parent, opts, Topic, named=PUBSUB, suffix="-interruptions"),
    )
    sink = ProjectSink(
        f"{derive_name(spec.id, LOG_SINK)}-interruptions",
        project=inputs["project"],
        description=spec.description,  # a sink takes no labels
        destination=topic.id.apply(lambda path: f"pubsub.googleapis.com/{path}"),
        filter=base_instance_name.apply(build_filter),
        unique_writer_identity=True,
        opts=child_options(parent, opts, ProjectSink, named=LOG_SINK, suffix="-interruptions"),
    )
    # Without it the sink writes nothing, and nobody is told.
    writer = TopicIAMMember(
        name,
        project=inputs["project"],
        topic=topic.name,
        role="roles/pubsub.publisher",
        member=sink.writer_identity,
        opts=child_options(parent, opts, TopicIAMMember, named=PUBSUB, suffix="-interruptions"),
    )
    subscription = Subscription(
        name,
        project=inputs["project"],
        topic=topic.id,
        ack_deadline_seconds=60,
        message_retention_duration=RETENTION,
        # Left out, a subscription that nobody reads for 31 days is deleted.
        expiration_policy={"ttl": ""},
        labels=spec.cost_labels,
        opts=child_options(
            parent, opts, Subscription, depends_on=[writer], named=PUBSUB, suffix="-interruptions"
        ),
    )
    return {"interruptionSubscription": subscription.id}


def build_filter(base_instance_name: str) -> str:
    """Return the log entries that are notices of this group's machines.

    A group appends a hyphen and four characters to the name of its machines.
    """
    methods = " OR ".join(f'protoPayload.methodName="{method}"' for method in METHODS)
    machines = f"/instances/{base_instance_name}-[a-z0-9]{{4}}$"
    return (
        f'resource.type="gce_instance" AND ({methods}) AND protoPayload.resourceName=~"{machines}"'
    )
