"""What the resources of a spot group may be called, beside those that others make too."""

from __future__ import annotations

from tidegate_components.names import PULUMI_SUFFIX, NameRule

SCALING_GROUP = NameRule(
    "Auto Scaling group", 255, r"[^/:\s]+", "no '/', ':' or spaces", suffix=PULUMI_SUFFIX
)
EVENT_RULE = NameRule(
    "EventBridge rule",
    64,
    r"[-._A-Za-z0-9]+",
    "letters, digits, '-', '.' and '_'",
    # The longest notice's name and the hyphen before it stand after the id too.
    suffix=PULUMI_SUFFIX + 13,
)
QUEUE = NameRule("SQS queue", 80, r"[-_A-Za-z0-9]+", "letters, digits, '-' and '_'", suffix=22)
COMPUTE = NameRule(
    "Compute Engine group",
    63,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter",
    suffix=PULUMI_SUFFIX + 10,  # room for -on-demand
    letter_first=True,
)
BASE_INSTANCE = NameRule(
    "base instance",
    # A name has 63 characters; the group appends a hyphen and four of its own.
    58,
    r"[a-z]([-a-z0-9]*[a-z0-9])?",
    "lowercase letters, digits and '-', starting with a letter",
    suffix=10,
    letter_first=True,
)
PUBSUB = NameRule(
    "Pub/Sub topic",
    255,
    r"[A-Za-z][-._~%+A-Za-z0-9]{2,}",
    "letters, digits and '-._~%+', starting with a letter",
    suffix=PULUMI_SUFFIX + 14,
    letter_first=True,
)
LOG_SINK = NameRule(
    "log sink", 100, r"[-._A-Za-z0-9]+", "letters, digits, '-', '.' and '_'", suffix=22
)
SCALE_SET = NameRule(
    "scale set",
    64,
    r"[A-Za-z0-9]([-._A-Za-z0-9]*[_A-Za-z0-9])?",
    "letters, digits, '-', '.' and '_'",
    suffix=PULUMI_SUFFIX,
)
COMPUTER_PREFIX = NameRule(
    "computer name prefix",
    9,
    r"[a-z][a-z0-9]*",
    "lowercase letters and digits",
    hyphens=False,
    hash_length=4,
    letter_first=True,
)
SYSTEM_TOPIC = NameRule(
    "Event Grid system topic",
    50,
    r"[-A-Za-z0-9]{3,}",
    "at least 3 letters, digits and '-'",
    suffix=PULUMI_SUFFIX + 7,
)
EVENT_SUBSCRIPTION = NameRule(
    "Event Grid subscription",
    64,
    r"[-A-Za-z0-9]{3,}",
    "at least 3 letters, digits and '-'",
    suffix=PULUMI_SUFFIX,
)
