"""CloudWatch Logs: moto takes any number of days as a retention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.patching import wrap
from tidegate.localclouds.rules import load_rules

LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"


def retention_steps() -> tuple[int, ...]:
    """Return the numbers of days that AWS takes; 0, Pulumi's "never", is no step of the API."""
    limits = load_rules("aws")[LOG_GROUP].limits
    steps = next(limit.one_of for limit in limits if limit.property == "retentionInDays")
    return tuple(step for step in steps if step)


def correct_logs() -> None:
    """Refuse retentions that are no step."""
    from moto.logs.models import LogsBackend

    wrap(LogsBackend, "put_retention_policy", _check_retention)


def _check_retention(original: Callable[..., Any]) -> Callable[..., Any]:
    from moto.logs.exceptions import InvalidParameterException

    def put_retention_policy(self: Any, log_group_name: str, retention_in_days: Any) -> Any:
        steps = retention_steps()
        if int(retention_in_days) not in steps:
            raise InvalidParameterException(
                constraint=f"Member must satisfy enum value set: {list(steps)}",
                parameter="retentionInDays",
                value=str(retention_in_days),
            )
        return original(self, log_group_name, retention_in_days)

    return put_retention_policy
