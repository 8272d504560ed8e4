"""Storage queues: what ARM keeps of them, and the messages in them.

Of the messages: Microsoft Learn, "Queue Storage REST API": general vendor documentation, not
verified.
"""

from __future__ import annotations

import secrets
import time
import uuid
from typing import Any

from tidegate.localclouds.azure.arm import Arm, Logic
from tidegate.localclouds.azure.errors import refused
from tidegate.localclouds.azure.ids import ArmId, parse_id
from tidegate.localclouds.azure.kinds import QUEUE_MESSAGE, QUEUE_SERVICE
from tidegate.localclouds.azure.storage_logic import TAKEN_NAME
from tidegate.localclouds.bodies import Body

KEPT_SECONDS = 7 * 24 * 3600
"""How long a message stays where nothing else is said."""


class QueueServiceLogic(Logic):
    """`Microsoft.Storage/storageAccounts/queueServices`: every account has its "default"."""

    def implied(self, arm: Arm, id: ArmId) -> Body | None:
        """Return the untouched service of an account that exists."""
        if id.name != "default" or arm.find(id.parent()) is None:
            return None
        return {
            "id": str(id),
            "name": "default",
            "type": QUEUE_SERVICE.type,
            "properties": {"cors": {"corsRules": []}},
        }


class QueueLogic(Logic):
    """`…/queueServices/queues`."""

    def show(self, arm: Arm, id: ArmId, body: Body) -> None:
        """Tell how many messages there are."""
        body["properties"]["approximateMessageCount"] = len(list_messages(arm, id))


def queue_of(account: ArmId, name: str) -> ArmId:
    """Return the id of an account's queue."""
    return account.child("queueServices", "default").child("queues", name)


def find_queue(arm: Arm, account: str, name: str) -> ArmId:
    """Return the id of a queue by the name of its account, which is unique in all of Azure.

    Raises:
        NotFoundError: For the account or the queue.
    """
    taken = arm.shelf.get(TAKEN_NAME, account.lower())
    if taken is None or arm.find(parse_id(taken["id"])) is None:
        raise refused("ResourceNotFound", f"There is no storage account {account}.", 404)
    queue = queue_of(parse_id(str(taken["id"])), name)
    if arm.find(queue) is None:
        raise refused("QueueNotFound", "The specified queue does not exist.", 404)
    return parse_id(arm.get(queue)["id"])


def put_message(arm: Arm, queue: ArmId, text: str, kept_seconds: float = KEPT_SECONDS) -> Body:
    """Append a message; a time below 0 keeps it for ever."""
    moment = time.time()
    message: Body = {
        "messageId": str(uuid.uuid4()),
        "text": text,
        "inserted": moment,
        "expires": moment + kept_seconds if kept_seconds >= 0 else None,
        "visible": moment,
        "popReceipt": secrets.token_urlsafe(12),
        "dequeueCount": 0,
    }
    message["key"] = f"{queue.key}/messages/{time.time_ns():020d}-{message['messageId']}"
    arm.shelf.put(QUEUE_MESSAGE, message["key"], message)
    return message


def list_messages(arm: Arm, queue: ArmId) -> list[Body]:
    """Return the messages that have not expired, the oldest first; those that have, end."""
    kept = []
    for message in arm.shelf.find(QUEUE_MESSAGE, f"{queue.key}/messages/"):
        if message["expires"] is not None and message["expires"] <= time.time():
            arm.shelf.delete(QUEUE_MESSAGE, message["key"])
        else:
            kept.append(message)
    return kept


def peek_messages(arm: Arm, queue: ArmId, count: int) -> list[Body]:
    """Return the first visible messages and leave them as they are."""
    moment = time.time()
    return [each for each in list_messages(arm, queue) if each["visible"] <= moment][:count]


def take_messages(arm: Arm, queue: ArmId, count: int, hidden_seconds: float) -> list[Body]:
    """Return the first visible messages and hide them for a time."""
    with arm.world.store.transaction():
        taken = peek_messages(arm, queue, count)
        for message in taken:
            message["visible"] = time.time() + hidden_seconds
            message["popReceipt"] = secrets.token_urlsafe(12)
            message["dequeueCount"] += 1
            arm.shelf.put(QUEUE_MESSAGE, message["key"], message)
    return taken


def delete_message(arm: Arm, queue: ArmId, message_id: str, receipt: str) -> None:
    """Delete a message by the receipt of whoever took it last."""
    for message in list_messages(arm, queue):
        if message["messageId"] != message_id:
            continue
        if message["popReceipt"] != receipt:
            raise refused(
                "PopReceiptMismatch", "The specified pop receipt did not match the pop receipt."
            )
        arm.shelf.delete(QUEUE_MESSAGE, message["key"])
        return
    raise refused("MessageNotFound", "The specified message does not exist.", 404)


def clear_messages(arm: Arm, queue: ArmId) -> None:
    """Delete all messages of a queue."""
    for message in list_messages(arm, queue):
        arm.shelf.delete(QUEUE_MESSAGE, message["key"])


def metadata_of(arm: Arm, queue: ArmId) -> dict[str, Any]:
    """Return a queue's metadata."""
    return dict(arm.get(queue)["properties"].get("metadata") or {})
