"""Pub/Sub's messages on this machine: publish, pull, acknowledge, dead letters; API v1."""

from __future__ import annotations

import secrets
import time
from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.localclouds.bodies import Body
from tidegate.localclouds.contracts import World
from tidegate.localclouds.gcp import names
from tidegate.localclouds.gcp.errors import invalid, missing
from tidegate.localclouds.gcp.faulting import take_faults
from tidegate.localclouds.gcp.references import SUBSCRIPTION, TOPIC
from tidegate.localclouds.routes import Answer, Asked, Route
from tidegate.localclouds.shelf import Shelf

MESSAGE = "pubsub.googleapis.com/Message"
MAX_PULLED = 1000
"""Messages of one pull (Pub/Sub, "Quotas and limits": general documentation, not verified)."""


class PubSub:
    """What the Pub/Sub face and log sinks both call."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.shelf = Shelf(world.store, "gcp")

    def publish(self, topic: str, messages: Sequence[Mapping[str, Any]]) -> list[str]:
        """Give messages to every subscription of a topic; return their ids.

        Args:
            topic: "projects/p/topics/t".
            messages: REST bodies: `data` in base64, `attributes`, `orderingKey`.
        """
        if self.shelf.get(TOPIC, topic) is None:
            raise missing(f"Resource not found (resource={names.last_part(topic)}).")
        with self.shelf.transaction():
            subscriptions = [
                name
                for name, body in self.shelf.items(SUBSCRIPTION)
                if body["topic"] == topic and not body.get("detached")
            ]
            return [self._deliver(subscriptions, message) for message in messages]

    def _deliver(self, subscriptions: Sequence[str], message: Mapping[str, Any]) -> str:
        if not message.get("data") and not message.get("attributes"):
            raise invalid("A message needs data, or attributes at least.")
        # Ids grow with time, so that what is first in the shelf is the oldest.
        number = f"{time.time_ns()}{secrets.randbelow(1000):03}"
        full = {**message, "messageId": number, "publishTime": names.now()}
        for name in subscriptions:
            self.shelf.put(
                MESSAGE, f"{name}/{number}", {"message": full, "due": 0.0, "attempts": 0}
            )
        return number

    def pull(self, subscription: str, most: int) -> list[Body]:
        """Lease the oldest messages that nobody holds, for the acknowledgement deadline."""
        if not 1 <= most <= MAX_PULLED:
            raise invalid(f"max_messages {most} is out of range: 1 to {MAX_PULLED}.")
        now = time.time()
        with self.shelf.transaction():
            body = self._subscription(subscription)
            received: list[Body] = []
            for name, kept in self.shelf.items(MESSAGE, f"{subscription}/"):
                if len(received) == most:
                    break
                if kept["due"] <= now and not self._is_dead(body, name, kept):
                    received.append(self._lease(name, kept, now + body["ackDeadlineSeconds"]))
        return received

    def _is_dead(self, subscription: Body, name: str, kept: Body) -> bool:
        """Tell whether a message was tried too often; it moves on to the dead-letter topic."""
        policy = subscription.get("deadLetterPolicy")
        if not policy or kept["attempts"] < int(policy.get("maxDeliveryAttempts") or 5):
            return False
        self.publish(policy["deadLetterTopic"], [kept["message"]])
        self.shelf.delete(MESSAGE, name)
        return True

    def _lease(self, name: str, kept: Body, due: float) -> Body:
        kept["due"] = due
        kept["attempts"] += 1
        self.shelf.put(MESSAGE, name, kept)
        return {"ackId": name, "message": kept["message"], "deliveryAttempt": kept["attempts"]}

    def acknowledge(self, subscription: str, ack_ids: Sequence[str]) -> None:
        """Forget messages that were handled; unknown ones are no error."""
        self._subscription(subscription)
        for ack_id in ack_ids:
            if ack_id.startswith(f"{subscription}/"):
                self.shelf.delete(MESSAGE, ack_id)

    def set_deadline(self, subscription: str, ack_ids: Sequence[str], seconds: int) -> None:
        """Lease messages for so long from now; 0 gives them back at once."""
        self._subscription(subscription)
        with self.shelf.transaction():
            for ack_id in ack_ids:
                kept = self.shelf.get(MESSAGE, ack_id)
                if kept is not None and ack_id.startswith(f"{subscription}/"):
                    kept["due"] = time.time() + seconds if seconds else 0.0
                    self.shelf.put(MESSAGE, ack_id, kept)

    def _subscription(self, name: str) -> Body:
        body = self.shelf.get(SUBSCRIPTION, name)
        if body is None:
            raise missing(f"Resource not found (resource={names.last_part(name)}).")
        return body

    def routes(self) -> list[Route]:
        """Return what the API answers of messages."""
        topic = "/v1/projects/{project}/topics/{topic}"
        subscription = "/v1/projects/{project}/subscriptions/{subscription}"
        return [
            Route("POST", f"{topic}:publish", self._answer_publish),
            Route("GET", f"{topic}/subscriptions", self._answer_subscriptions),
            Route("POST", f"{subscription}:pull", self._answer_pull),
            Route("POST", f"{subscription}:acknowledge", self._answer_acknowledge),
            Route("POST", f"{subscription}:modifyAckDeadline", self._answer_deadline),
        ]

    def _answer_publish(self, asked: Asked, **_: str) -> Answer:
        take_faults(self._world, "pubsub:Publish", grows=False)
        return Answer({"messageIds": self.publish(_name(asked), asked.body.get("messages", []))})

    def _answer_subscriptions(self, asked: Asked, **_: str) -> Answer:
        topic = _name(asked).removesuffix("/subscriptions")
        found = [name for name, body in self.shelf.items(SUBSCRIPTION) if body["topic"] == topic]
        return Answer({"subscriptions": found})

    def _answer_pull(self, asked: Asked, **_: str) -> Answer:
        take_faults(self._world, "pubsub:Pull", grows=False)
        received = self.pull(_name(asked), int(asked.body.get("maxMessages", 0)))
        return Answer({"receivedMessages": received} if received else {})

    def _answer_acknowledge(self, asked: Asked, **_: str) -> Answer:
        self.acknowledge(_name(asked), asked.body.get("ackIds", []))
        return Answer({})

    def _answer_deadline(self, asked: Asked, **_: str) -> Answer:
        seconds = int(asked.body.get("ackDeadlineSeconds", 0))
        self.set_deadline(_name(asked), asked.body.get("ackIds", []), seconds)
        return Answer({})


def _name(asked: Asked) -> str:
    return asked.path.removeprefix("/v1/").partition(":")[0]
