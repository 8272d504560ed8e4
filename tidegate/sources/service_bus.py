"""How many messages wait in a Service Bus queue, or in a topic's subscription."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.sources.config import ServiceBusSource
from tidegate.sources.counted import Count, to_count
from tidegate.sources.queues import as_fault


def count_messages(settings: ServiceBusSource, client: Any) -> Callable[[], Count]:
    """Return what asks Service Bus for its active messages.

    Those that somebody locked and has not settled are among them, and are not told apart; dead
    letters and messages that are scheduled for later are not.

    Args:
        settings: The source's entry.
        client: A ServiceBusAdministrationClient.
    """
    where = f"{settings.namespace}/{settings.entity}"

    def fetch() -> Count:
        try:
            found = (
                client.get_queue_runtime_properties(settings.queue)
                if settings.queue
                else client.get_subscription_runtime_properties(
                    settings.topic, settings.subscription
                )
            )
        except Exception as error:
            raise as_fault(error, ("azure", "xml", "msrest"), where) from error
        return Count(to_count(found.active_message_count, f"the count of {where}"))

    return fetch
