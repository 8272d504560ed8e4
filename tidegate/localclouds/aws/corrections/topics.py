"""SNS: attributes that moto takes and does not show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tidegate.localclouds.aws.corrections.patching import wrap

HIDDEN = {"SignatureVersion": "signature_version", "TracingConfig": "tracing_config"}


def correct_topics() -> None:
    """Show them."""
    from moto.sns.responses import SNSResponse

    wrap(SNSResponse, "get_topic_attributes", _show_all)


def _show_all(original: Callable[..., Any]) -> Callable[..., Any]:
    def get_topic_attributes(self: Any) -> Any:
        answer = original(self)
        topic = self.backend.get_topic(self._get_param("TopicArn"))
        for name, attribute in HIDDEN.items():
            value = getattr(topic, attribute, None)
            if value:
                answer.result["Attributes"][name] = value
        return answer

    return get_topic_attributes
