"""Log entries on this machine: who receives them, and which can be read back; Logging API v2."""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Mapping
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import invalid
from tidegate.localclouds.gcp.iam_policies import IamPolicies
from tidegate.localclouds.gcp.log_filter import FilterError, parse_filter
from tidegate.localclouds.gcp.pubsub import PubSub
from tidegate.localclouds.gcp.references import TOPIC
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

ENTRY = "logging.googleapis.com/LogEntry"
SINK = "logging.googleapis.com/LogSink"
KEPT_ENTRIES = 500
PUBSUB = "pubsub.googleapis.com/"
# Roles that let a sink's writer publish to a topic (IAM, predefined roles of Pub/Sub).
PUBLISHERS = frozenset({"roles/pubsub.publisher", "roles/pubsub.admin", "roles/pubsub.editor",
                        "roles/editor", "roles/owner"})  # fmt: skip


class LogEntries:
    """What writes log entries: the API, and the local cloud itself."""

    def __init__(self, world: World, pubsub: PubSub, policies: IamPolicies) -> None:
        self.shelf = Shelf(world.store, "gcp")
        self._pubsub = pubsub
        self._policies = policies

    def write(self, project: str, entry: Mapping[str, Any]) -> Body:
        """Keep an entry and hand it to the sinks whose filters let it through."""
        full = {
            "insertId": secrets.token_hex(8),
            "severity": "DEFAULT",
            "timestamp": names.now(),
            **entry,
            "receiveTimestamp": names.now(),
        }
        with self.shelf.transaction():
            prefix = f"projects/{project}/"
            self.shelf.put(ENTRY, f"{prefix}{full['timestamp']}/{full['insertId']}", full)
            for name, _ in self.shelf.items(ENTRY, prefix)[:-KEPT_ENTRIES]:
                self.shelf.delete(ENTRY, name)
            for sink in self.shelf.find(SINK, f"{prefix}sinks/"):
                if _lets_through(sink, full):
                    self._export(project, sink, full)
        return full

    def _export(self, project: str, sink: Body, entry: Body) -> None:
        """Publish an entry to the sink's topic, when there is one that its writer may publish to.

        Logging drops what it may not write, and so does this.
        """
        topic = sink["destination"].removeprefix(PUBSUB)
        if not sink["destination"].startswith(PUBSUB) or self.shelf.get(TOPIC, topic) is None:
            return
        places = (topic, f"projects/{topic.split('/')[1]}")
        if any(self._may_publish(place, sink["writerIdentity"]) for place in places):
            data = base64.b64encode(json.dumps(entry).encode()).decode()
            attributes = {
                "logging.googleapis.com/sink": f"projects/{project}/sinks/{sink['name']}",
                "logging.googleapis.com/timestamp": entry["timestamp"],
            }
            self._pubsub.publish(topic, [{"data": data, "attributes": attributes}])

    def _may_publish(self, resource: str, writer: str) -> bool:
        bindings = self._policies.get(resource)["bindings"]
        return any(
            binding["role"] in PUBLISHERS and writer in binding["members"]
            for binding in bindings
            if not binding.get("condition")
        )

    def routes(self) -> list[Route]:
        """Return what the API answers of entries."""
        return [
            Route("POST", "/v2/entries:write", self._answer_write),
            Route("POST", "/v2/entries:list", self._answer_list),
        ]

    def _answer_write(self, asked: Asked) -> Answer:
        shared = {
            key: asked.body[key] for key in ("logName", "resource", "labels") if key in asked.body
        }
        for entry in asked.body.get("entries", []):
            full = {**shared, **entry}
            parts = str(full.get("logName", "")).split("/")
            if len(parts) != 4 or parts[0] != "projects":
                raise invalid(f"Invalid log name '{full.get('logName')}': projects/p/logs/l.")
            self.write(parts[1], full)
        return Answer({})

    def _answer_list(self, asked: Asked) -> Answer:
        try:
            test = parse_filter(asked.body.get("filter", ""))
        except FilterError as error:
            raise invalid(f"Unparseable filter: {error}") from error
        found = [
            entry
            for resource in asked.body.get("resourceNames", [])
            for entry in self.shelf.find(ENTRY, f"{resource}/")
            if test(entry)
        ]
        if asked.body.get("orderBy") == "timestamp desc":
            found.reverse()
        return Answer({"entries": found[: int(asked.body.get("pageSize") or 50)]})


def _lets_through(sink: Body, entry: Body) -> bool:
    if sink.get("disabled") or not parse_filter(sink.get("filter", ""))(entry):
        return False
    return not any(
        parse_filter(exclusion["filter"])(entry)
        for exclusion in sink.get("exclusions", [])
        if not exclusion.get("disabled")
    )
